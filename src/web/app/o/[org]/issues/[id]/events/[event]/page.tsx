import type { Metadata } from 'next'
import { IssueScreen, issueTitle } from '../../issue-screen.tsx'
import type { Search } from '../../load.ts'

type Props = { params: Promise<{ org: string; id: string; event: string }>; searchParams: Promise<Search> }

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { org, id } = await params
  return { title: await issueTitle(org, id) }
}

/** The issue with one event: by number (1 = oldest stored), `first`, `latest`, or id. */
export default async function EventRoute({ params, searchParams }: Props) {
  const { org, id, event } = await params
  return await IssueScreen({ org, id, choice: event, search: await searchParams })
}
