import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import type { Search } from '../../../../panels/performance/params.ts'
import { RoutesPage } from '../../../../panels/performance/routes-part.tsx'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('performance'))('title') }
}

/** The routes of all services. */
export default function PerformancePage(props: { params: Promise<{ org: string }>; searchParams: Promise<Search> }) {
  return <RoutesPage {...props} tab="routes" />
}
