'use client'
import { useRouter } from 'next/navigation'
import { useLocale, useTranslations } from 'next-intl'
import { useRef } from 'react'
import type { RestVital, RestVitals } from '../../../contract/explore/performance.ts'
import { vitalLoads } from '../../../domain/traces/vitals.ts'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Segments } from '../../ui/segments.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { Delta, NameCell, Score } from './cells.tsx'
import { ListBar } from './list-bar.tsx'
import { Pages } from './pages.tsx'
import { type PerformanceParams, rowsPerPage } from './params.ts'
import { RowsTable } from './rows-table.tsx'
import { isFew, SampledCount, useSampledText } from './sampled.tsx'
import { usePerformanceChange } from './scope.tsx'
import { useRowKeys } from './use-row-keys.ts'
import { VitalShares, VitalValue } from './vital-list.tsx'
import { performanceWords } from './words.ts'

/** A navigation has no first byte and no first paint of its own. */
const names = { pageload: ['lcp', 'inp', 'cls', 'fcp', 'ttfb'], navigation: ['lcp', 'inp', 'cls'] } as const

/** All routes together: the score, and each vital with its shares. */
function Totals({ answer }: { answer: RestVitals }) {
  const t = useTranslations('performance.vitals')
  const words = performanceWords(useLocale())
  const sampled = useSampledText()
  const routes = useTranslations('performance.routes')
  return (
    <Facts>
      <Fact
        label={t('score')}
        value={answer.score === null ? '–' : words.score(answer.score)}
        title={t('scoreTitle')}
        change={answer.scoreBefore === null ? undefined : routes('was', { value: words.score(answer.scoreBefore) })}
      />
      {answer.totals.map((vital) => (
        <Fact
          key={vital.vital}
          label={vital.vital.toUpperCase()}
          title={`${t(vital.vital)}\n${sampled(vital)}`}
          value={<VitalValue vital={vital} />}
          change={<VitalShares vital={vital} />}
        />
      ))}
    </Facts>
  )
}

/** One vital of a route: its p75, its shares, and what caused it. */
function Vital({ vital }: { vital: RestVital | undefined }) {
  const t = useTranslations('performance.vitals')
  const sampled = useSampledText()
  if (!vital) return <span className="text-ink-3">–</span>
  return (
    <span className="performance-vital" title={sampled(vital)}>
      <VitalValue vital={vital} />
      <VitalShares vital={vital} />
      {vital.cause ? (
        <code className="performance-cause" title={`${t('cause')}: ${vital.cause.element} (${sampled(vital.cause)})`}>
          <PlainText text={vital.cause.element} charactersMax={80} />
        </code>
      ) : null}
    </span>
  )
}

/** The change of a route's score. Its least measured vital says whether there are enough samples. */
function ScoreDelta({ row: { score, scoreBefore, vitals } }: { row: RestVitals['rows'][number] }) {
  const words = performanceWords(useLocale())
  if (scoreBefore === null) return null
  const least = (of: (vital: RestVital) => number) => Math.min(...vitals.map(of))
  return (
    <Delta
      kind="score"
      now={score}
      before={scoreBefore}
      samples={[least(({ samples }) => samples), least(({ previous }) => previous?.samples ?? 0)]}
      was={words.score(scoreBefore)}
    />
  )
}

/** The filter of the routes, and whose vitals are shown. */
function VitalsBar({ params }: { params: Pick<PerformanceParams, 'q' | 'loads'> }) {
  const t = useTranslations('performance.vitals')
  const routes = useTranslations('performance.routes')
  const [, change] = usePerformanceChange()
  return (
    <ListBar q={params.q} label={routes('filter')}>
      <Segments
        label={t('of')}
        value={params.loads}
        choices={vitalLoads.map((value) => ({ value, label: t(value) }))}
        onChange={(loads) => change({ loads: loads === 'pageload' ? null : loads })}
      />
    </ListBar>
  )
}

/** Shown where no browser reported vitals of navigations, with the way back to page loads. */
export function NoSoftVitals({ params }: { params: Pick<PerformanceParams, 'q' | 'loads'> }) {
  const t = useTranslations('performance.vitals')
  return (
    <>
      <VitalsBar params={params} />
      <EmptyState title={t('noneSoft')}>
        <p>{t('navigationHint')}</p>
      </EmptyState>
    </>
  )
}

/** Web vitals by route. */
export function VitalsTable({
  organization,
  answer,
  params,
  places,
  kept,
}: {
  organization: string
  answer: RestVitals
  params: PerformanceParams
  places: Readonly<Record<string, number>>
  kept: string
}) {
  const t = useTranslations('performance.vitals')
  const routes = useTranslations('performance.routes')
  const shown = names[answer.loads]
  const router = useRouter()
  const table = useRef<HTMLTableElement>(null)
  const pathOf = (id: string) => `/o/${organization}/performance/${id}${kept}`
  const [at, select] = useRowKeys(answer.rows, table, (row) => router.push(pathOf(row.id)), -1)
  return (
    <>
      <Totals answer={answer} />
      <VitalsBar params={params} />
      {answer.loads === 'navigation' ? <p className="performance-hint">{t('navigationHint')}</p> : null}
      <RowsTable
        table={table}
        className="performance-vitals-table"
        label={t('title')}
        first={routes('route')}
        columns={[
          { name: 'loads', label: t('loads') },
          { name: 'score', label: t('score'), title: t('scoreTitle') },
          ...shown.map((name) => ({
            name,
            label: name.toUpperCase(),
            title: t(name),
            isWide: name !== 'lcp',
            isText: true,
          })),
        ]}
        rows={answer.rows}
        keyOf={({ id }) => id}
        at={at}
        select={select}
        isFewOf={isFew}
        nameOf={(row) => (
          <span className="performance-name">
            <Link href={pathOf(row.id)}>
              <NameCell place={places[row.project.slug] ?? 0} project={row.project.slug} text={row.route} />
            </Link>
          </span>
        )}
        cellsOf={(row) => (
          <>
            <td className="number">
              <SampledCount of={row} />
            </td>
            <td className="number">
              <Score score={row.score} />
              <ScoreDelta row={row} />
            </td>
            {shown.map((name) => (
              <td key={name} className={name === 'lcp' ? undefined : 'performance-wide'}>
                <Vital vital={row.vitals.find(({ vital }) => vital === name)} />
              </td>
            ))}
          </>
        )}
      />
      <Pages at={params.at} all={answer.all} each={rowsPerPage} />
    </>
  )
}
