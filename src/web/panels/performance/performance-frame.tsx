import './performance.css'
import '../../styles/issues.css'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import { Link } from '../../ui/link.tsx'
import type { ProjectName } from '../search/list-params.ts'
import type { PerformanceParams } from './params.ts'
import { PerformanceScope } from './scope.tsx'

/** The pages of performance in the order of their tabs, with their path. */
const performanceTabs = {
  routes: '',
  vitals: '/vitals',
  queries: '/queries',
  requests: '/requests',
  assets: '/assets',
  navigation: '/routes',
} as const
export type PerformanceTab = keyof typeof performanceTabs

type PerformanceFrameProps = {
  organization: string
  params: PerformanceParams
  /** All projects that the reader may read, in the order of the organization. */
  projects: readonly ProjectName[]
  environments: string[] | undefined
  /** The query string that all pages keep, with `?`. */
  kept: string
}

/** Title, scope and tabs of all performance pages. */
export function PerformanceFrame({
  tab,
  children,
  ...props
}: PerformanceFrameProps & { tab: PerformanceTab; children: ReactNode }) {
  const t = useTranslations('performance')
  const { organization, params, projects, environments, kept } = props
  return (
    <div className="performance">
      <header className="performance-bar">
        <h1>{t('title')}</h1>
        <PerformanceScope organization={organization} params={params} projects={projects} environments={environments} />
      </header>
      <nav className="performance-tabs" aria-label={t('tabs.label')}>
        {Object.entries(performanceTabs).map(([name, path]) => (
          <Link
            key={name}
            href={`/o/${organization}/performance${path}${kept}`}
            aria-current={name === tab ? 'page' : undefined}
          >
            {t(`tabs.${name as PerformanceTab}`)}
          </Link>
        ))}
      </nav>
      {children}
    </div>
  )
}
