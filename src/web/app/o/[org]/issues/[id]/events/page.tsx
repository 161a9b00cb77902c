import type { Metadata } from 'next'
import { issueTitle } from '../issue-screen.tsx'
import type { Search } from '../load.ts'
import { EventsScreen } from './events-screen.tsx'

type Props = { params: Promise<{ org: string; id: string }>; searchParams: Promise<Search> }

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { org, id } = await params
  return { title: await issueTitle(org, id) }
}

/** The events of an issue, with search. */
export default async function EventsRoute({ params, searchParams }: Props) {
  const { org, id } = await params
  return await EventsScreen({ org, id, search: await searchParams })
}
