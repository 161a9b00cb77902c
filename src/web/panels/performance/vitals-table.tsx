'use client'
import { useRouter } from 'next/navigation'
import { useLocale, useTranslations } from 'next-intl'
import { useRef } from 'react'
import type { RestVital, RestVitals } from '../../../contract/performance.ts'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { NameCell, Score } from './cells.tsx'
import { ListBar } from './list-bar.tsx'
import type { PerformanceParams } from './params.ts'
import { useSampledText } from './sampled.tsx'
import { useRowKeys } from './use-row-keys.ts'
import { VitalShares, VitalValue } from './vital-list.tsx'
import { performanceWords } from './words.ts'

const names = ['lcp', 'inp', 'cls', 'fcp', 'ttfb'] as const

/** All routes together: the score, and each vital with its shares. */
function Totals({ answer }: { answer: RestVitals }) {
  const t = useTranslations('performance.vitals')
  const words = performanceWords(useLocale())
  return (
    <Facts>
      <Fact
        label={t('score')}
        value={answer.score === null ? '–' : words.score(answer.score)}
        title={t('scoreTitle')}
      />
      {answer.totals.map((vital) => (
        <Fact
          key={vital.vital}
          label={vital.vital.toUpperCase()}
          title={t(vital.vital)}
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
  if (!vital) return <span className="text-ink-3">–</span>
  return (
    <span className="performance-vital">
      <VitalValue vital={vital} />
      <VitalShares vital={vital} />
      {vital.cause ? (
        <code className="performance-cause" title={`${t('cause')}: ${vital.cause.element}`}>
          <PlainText text={vital.cause.element} charactersMax={80} />
        </code>
      ) : null}
    </span>
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
  const words = performanceWords(useLocale())
  const sampled = useSampledText()
  const router = useRouter()
  const table = useRef<HTMLTableElement>(null)
  const pathOf = (id: string) => `/o/${organization}/performance/${id}${kept}`
  const [at, select] = useRowKeys(answer.rows, table, (row) => router.push(pathOf(row.id)), -1)
  return (
    <>
      <Totals answer={answer} />
      <ListBar q={params.q} label={routes('filter')} />
      <div className="performance-table-box">
        <table ref={table} className="performance-table performance-vitals-table" aria-label={t('title')}>
          <thead>
            <tr>
              <th scope="col">{routes('route')}</th>
              <th scope="col" className="number">
                {t('loads')}
              </th>
              <th scope="col" className="number">
                {t('score')}
              </th>
              {names.map((name) => (
                <th key={name} scope="col" className={name === 'lcp' ? undefined : 'performance-wide'} title={t(name)}>
                  {name.toUpperCase()}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {answer.rows.map((row, index) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: j and k select too, and the row has a link
              <tr
                key={row.id}
                data-cursor={index === at || undefined}
                aria-current={index === at || undefined}
                onClick={() => select(index)}
              >
                <th scope="row">
                  <span className="performance-name">
                    <Link href={pathOf(row.id)}>
                      <NameCell place={places[row.project.slug] ?? 0} project={row.project.slug} text={row.route} />
                    </Link>
                  </span>
                </th>
                <td className="number" title={sampled(row)}>
                  {words.count(row.count)}
                </td>
                <td className="number">
                  <Score score={row.score} />
                </td>
                {names.map((name) => (
                  <td key={name} className={name === 'lcp' ? undefined : 'performance-wide'}>
                    <Vital vital={row.vitals.find(({ vital }) => vital === name)} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}
