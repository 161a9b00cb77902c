import { useLocale, useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import type { RestComparedRelease, RestReleaseCompare } from '../../../contract/release-compare.ts'
import type { RestShare } from '../../../contract/release-health.ts'
import { versionInfo } from '../../../domain/release-order.ts'
import { PlainText } from '../../ui/plain-text.tsx'
import { ReleaseSwatch } from '../release-health/swatch.tsx'
import { healthWords } from '../release-health/words.ts'
import { compareWords } from './words.ts'

type Line = { name: string; of: (release: RestComparedRelease) => ReactNode; difference?: ReactNode }

/** Crash-free rates, adoption and events of both releases side by side. */
export function SideBySide({ compared }: { compared: RestReleaseCompare }) {
  const t = useTranslations('compare.stats')
  const locale = useLocale()
  const health = healthWords(locale)
  const words = compareWords(locale)
  const { change } = compared
  const none = <span className="text-ink-3">{t('none')}</span>
  const share = (of: RestShare | null | undefined) =>
    of ? (
      <>
        <b>{health.percent(of.share)}</b> <span className="text-ink-3">{health.interval(of)}</span>
      </>
    ) : (
      none
    )
  const lines: Line[] = [
    {
      name: t('crashFreeSessions'),
      of: ({ health: own }) => share(own?.crashFreeSessions),
      difference:
        change &&
        t('points', {
          points: words.points(change.by),
          low: words.points(change.low),
          high: words.points(change.high),
        }),
    },
    { name: t('crashFreeUsers'), of: ({ health: own }) => share(own?.crashFreeUsers) },
    {
      name: t('adoption'),
      of: ({ health: own }) => (own?.adoption ? <b>{words.percent(own.adoption.share)}</b> : none),
    },
    { name: t('sessions'), of: ({ health: own }) => (own ? <b>{words.count(own.sessions.all)}</b> : none) },
    { name: t('events'), of: ({ events }) => <b>{words.count(events)}</b> },
  ]
  return (
    <table className="compare-table compare-stats">
      <thead>
        <tr>
          <th scope="col">{t('stat')}</th>
          {[compared.a, compared.b].map(({ version }, at) => (
            <th key={version} scope="col" className="number">
              <ReleaseSwatch place={1 - at} />
              <PlainText text={versionInfo(version).description} charactersMax={40} />
            </th>
          ))}
          <th scope="col" className="number compare-difference">
            {t('difference')}
          </th>
        </tr>
      </thead>
      <tbody>
        {lines.map(({ name, of, difference }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td className="number">{of(compared.a)}</td>
            <td className="number">{of(compared.b)}</td>
            <td className="number compare-difference">{difference ?? <span className="text-ink-3">–</span>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
