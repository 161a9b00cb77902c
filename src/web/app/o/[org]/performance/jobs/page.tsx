import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import type { Search } from '../../../../../panels/performance/params.ts'
import { RoutesPage } from '../../../../../panels/performance/routes-part.tsx'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('performance'))('tabs.jobs') }
}

/** Queue consumers, scheduled tasks and functions. */
export default function JobsPage(props: { params: Promise<{ org: string }>; searchParams: Promise<Search> }) {
  return <RoutesPage {...props} tab="jobs" />
}
