import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import type { Search } from '../../../../../panels/performance/params.ts'
import { StatementsPage } from '../../../../../panels/performance/statements-part.tsx'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('performance'))('tabs.queries') }
}

/** The queries of all routes. */
export default function QueriesPage(props: { params: Promise<{ org: string }>; searchParams: Promise<Search> }) {
  return <StatementsPage {...props} kind="queries" />
}
