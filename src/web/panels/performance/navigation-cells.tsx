'use client'
import { useLocale, useTranslations } from 'next-intl'
import type { RestNavigationRow } from '../../../contract/explore/performance.ts'
import { SampledCount, useSampledText } from './sampled.tsx'
import { performanceWords } from './words.ts'

export const columnNames = [
  'loads',
  'p75',
  'slow',
  'failed',
  'hard',
  'prefetch',
  'restored',
  'hydration',
  'skew',
] as const
export const narrow: ReadonlySet<string> = new Set(['loads', 'slow', 'failed'])

type Counted = RestNavigationRow['slow']
export const sumOf = (a: Counted, b: Counted): Counted => ({ samples: a.samples + b.samples, count: a.count + b.count })

/** Faults by samples: none is pale, some have the colour of warnings. */
function Faults({ fault, of }: { fault: Counted; of?: Counted }) {
  const words = performanceWords(useLocale())
  if (fault.samples === 0) return <span className="text-ink-3">0</span>
  return (
    <span className="text-warning">
      <SampledCount of={fault} />
      {of !== undefined && of.count > 0 ? (
        <span className="performance-of"> {words.share(Math.min(1, fault.count / of.count))}</span>
      ) : null}
    </span>
  )
}

/** Errors are not sampled with the spans: a number of them is exact. */
const exact = (events: number): Counted => ({ samples: events, count: events })

/** The figures of a route, or of a release of it: one `td` for each column. */
export function NavigationCells({ row }: { row: Omit<RestNavigationRow, 'route' | 'project'> }) {
  const words = performanceWords(useLocale())
  const sampled = useSampledText()
  const t = useTranslations('performance.navigation')
  const loads = sumOf(row.pageLoads, row.navigations)
  const steps = sumOf(row.backForward, row.restored)
  return (
    <>
      <td
        className="number"
        title={t('loadsTitle', { loads: sampled(row.pageLoads), navigations: sampled(row.navigations) })}
      >
        <SampledCount of={loads} />
      </td>
      <td className="number performance-wide">{words.duration(row.p75)}</td>
      <td className="number">
        <Faults fault={row.slow} of={loads} />
      </td>
      <td className="number">
        <Faults fault={row.failed} of={loads} />
      </td>
      <td className="number performance-wide">
        <Faults fault={row.hardNavigations} />
      </td>
      <td className="number performance-wide">
        <Faults fault={row.unusedPrefetches} of={row.prefetches} />
      </td>
      <td
        className="number performance-wide"
        title={t('restoredOf', { restored: sampled(row.restored), steps: sampled(steps) })}
      >
        {steps.samples === 0 ? (
          <span className="text-ink-3">–</span>
        ) : (
          <span className={row.backForward.samples > 0 ? 'text-warning' : 'text-ink-2'}>
            <SampledCount of={row.restored} />
            <span className="performance-of"> {words.share(row.restored.count / steps.count)}</span>
          </span>
        )}
      </td>
      <td className="number performance-wide">
        <Faults fault={exact(row.hydration)} />
      </td>
      <td className="number performance-wide">
        <Faults fault={exact(row.skew)} />
      </td>
    </>
  )
}
