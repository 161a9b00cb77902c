import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import type { Search } from '../../../../../panels/performance/params.ts'
import { StatementsPage } from '../../../../../panels/performance/statements-part.tsx'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('performance'))('tabs.assets') }
}

/** The assets of all routes. */
export default function AssetsPage(props: { params: Promise<{ org: string }>; searchParams: Promise<Search> }) {
  return <StatementsPage {...props} kind="assets" />
}
