import './performance.css'
import '../../styles/issues.css'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import type { ProjectName } from '../search/list-params.ts'
import type { PerformanceParams } from './params.ts'
import { PerformanceScope } from './scope.tsx'
import { type CountsPromise, type PerformanceTab, PerformanceTabs, PerformanceTotal } from './tabs.tsx'

type PerformanceFrameProps = {
  organization: string
  params: PerformanceParams
  /** All projects that the reader may read, in the order of the organization. */
  projects: readonly ProjectName[]
  environments: string[] | undefined
  /** The query string that all pages keep, with `?`. */
  kept: string
  counts: CountsPromise
}

/** Title, scope and tabs of all performance pages. */
export function PerformanceFrame({
  tab,
  children,
  ...props
}: PerformanceFrameProps & { tab: PerformanceTab; children: ReactNode }) {
  const t = useTranslations('performance')
  const { organization, params, projects, environments, kept, counts } = props
  return (
    <div className="performance">
      <header className="performance-bar">
        <h1>{t('title')}</h1>
        <PerformanceTotal counts={counts} />
        <PerformanceScope organization={organization} params={params} projects={projects} environments={environments} />
      </header>
      <PerformanceTabs organization={organization} kept={kept} tab={tab} counts={counts} />
      {children}
    </div>
  )
}
