import { useLocale, useTranslations } from 'next-intl'
import { type ReactNode, Suspense } from 'react'
import type { RestPerformanceCounts } from '../../../contract/explore/performance.ts'
import { Link } from '../../ui/link.tsx'
import { useSampledText } from './sampled.tsx'
import { performanceWords } from './words.ts'

/** The pages of performance in the order of their tabs, with their path. */
const performanceTabs = {
  routes: '',
  vitals: '/vitals',
  queries: '/queries',
  requests: '/requests',
  assets: '/assets',
  jobs: '/jobs',
  navigation: '/routes',
} as const
export type PerformanceTab = keyof typeof performanceTabs

/** The numbers of the tabs. Undefined: the store did not answer, and the tabs have none. */
export type CountsPromise = Promise<RestPerformanceCounts | undefined>

const counted: Partial<Record<PerformanceTab, 'routes' | 'queries' | 'requests' | 'assets' | 'jobs'>> = {
  routes: 'routes',
  queries: 'queries',
  requests: 'requests',
  assets: 'assets',
  jobs: 'jobs',
}

function Tabs({
  organization,
  kept,
  tab,
  counts,
}: {
  organization: string
  kept: string
  tab: PerformanceTab
  counts: RestPerformanceCounts | undefined
}) {
  const t = useTranslations('performance.tabs')
  const words = performanceWords(useLocale())
  return (
    <nav className="performance-tabs" aria-label={t('label')}>
      {Object.entries(performanceTabs).map(([name, path]) => {
        const of = counted[name as PerformanceTab]
        return (
          <Link
            key={name}
            href={`/o/${organization}/performance${path}${kept}`}
            aria-current={name === tab ? 'page' : undefined}
          >
            {t(name as PerformanceTab)}
            {counts && of && counts[of] > 0 ? <span> {words.count(counts[of])}</span> : null}
          </Link>
        )
      })}
    </nav>
  )
}

async function Counted({
  counts,
  children,
}: {
  counts: CountsPromise
  children: (found: Awaited<CountsPromise>) => ReactNode
}) {
  return children(await counts)
}

type TabsProps = { organization: string; kept: string; tab: PerformanceTab; counts: CountsPromise }

/** The tabs at once, and their numbers when they are read. */
export function PerformanceTabs({ counts, ...props }: TabsProps) {
  return (
    <Suspense fallback={<Tabs {...props} counts={undefined} />}>
      <Counted counts={counts}>{(found) => <Tabs {...props} counts={found} />}</Counted>
    </Suspense>
  )
}

function Total({ counts }: { counts: RestPerformanceCounts | undefined }) {
  const t = useTranslations('performance')
  const sampled = useSampledText()
  return counts && counts.samples > 0 ? (
    <span className="performance-note">{t('counted', { samples: sampled(counts) })}</span>
  ) : null
}

/** The number of segments beside the title. */
export function PerformanceTotal({ counts }: Pick<TabsProps, 'counts'>) {
  return (
    <Suspense fallback={null}>
      <Counted counts={counts}>{(found) => <Total counts={found} />}</Counted>
    </Suspense>
  )
}
