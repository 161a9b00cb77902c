import type { Metadata } from 'next'
import { IssueScreen, issueTitle } from './issue-screen.tsx'
import type { Search } from './load.ts'

type Props = { params: Promise<{ org: string; id: string }>; searchParams: Promise<Search> }

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { org, id } = await params
  return { title: await issueTitle(org, id) }
}

/** The issue with its latest event. */
export default async function IssueRoute({ params, searchParams }: Props) {
  const { org, id } = await params
  return await IssueScreen({ org, id, choice: 'latest', search: await searchParams })
}
