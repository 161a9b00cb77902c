import './release-compare.css'
import { useLocale, useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import type { RestReleaseCompare } from '../../../contract/release-compare.ts'
import type { RestHealthChange, RestShare } from '../../../contract/release-health.ts'
import { versionInfo } from '../../../domain/release-order.ts'
import { PlainText } from '../../ui/plain-text.tsx'
import { SeverityShape } from '../../ui/severity.tsx'
import { Intervals } from '../release-health/intervals.tsx'
import { type HealthWords, healthWords, sureOf } from '../release-health/words.ts'

const short = (version: string) => versionInfo(version).description
const nameMax = 60

/** How far the crash-free sessions moved, at equal adoption. */
function Moved({ change, words }: { change: RestHealthChange; words: HealthWords }) {
  const t = useTranslations('releases.health')
  const bounds = [Math.abs(change.low), Math.abs(change.high)].sort((first, second) => first - second)
  const text = t(`moved.${change.verdict === 'better' ? 'better' : 'worse'}`, {
    points: words.points(change.by),
    low: words.points(bounds[0] ?? 0),
    high: words.points(bounds[1] ?? 0),
  })
  return <>{text} </>
}

/** How many issues differ. Only sure differences count, except that an issue is new. */
function Counts({ compared }: { compared: RestReleaseCompare }) {
  const t = useTranslations('compare.counts')
  const list = new Intl.ListFormat(useLocale(), { type: 'unit' })
  const counts = [
    ['new', compared.new.total],
    ['more', compared.more.sure],
    ['fewer', compared.fewer.sure],
    ['gone', compared.gone.sure],
  ] as const
  const parts = counts.flatMap(([kind, count]) => (count > 0 ? [t(kind, { count })] : []))
  return <>{parts.length > 0 ? `${list.format(parts)}.` : t('none')}</>
}

/** The verdict without sessions of both: the issues, and why there is no more. */
function IssuesOnly({ compared }: { compared: RestReleaseCompare }) {
  const t = useTranslations('compare.verdict')
  const names = { release: short(compared.b.version), previous: short(compared.a.version) }
  return (
    <>
      <h2>
        <PlainText text={t('noSessions', names)} charactersMax={2 * nameMax} />
      </h2>
      <p>
        <Counts compared={compared} /> {t('noSessionsWhy')}
      </p>
    </>
  )
}

function Judged({ compared, change }: { compared: RestReleaseCompare; change: RestHealthChange }) {
  const t = useTranslations('compare.verdict')
  const health = useTranslations('releases.health')
  const locale = useLocale()
  const words = healthWords(locale)
  const previous = short(compared.a.version)
  const { verdict } = change
  const percent = new Intl.NumberFormat(locale, { style: 'percent' })
  const title =
    verdict === 'same'
      ? t('same', { previous, sample: words.count(change.own.sample), needed: words.count(change.needed) })
      : t(verdict, { previous, sure: percent.format(sureOf(change)) })
  return (
    <>
      <h2>
        <PlainText text={title} charactersMax={2 * nameMax} />
      </h2>
      <p>
        {verdict === 'same' ? null : <Moved change={change} words={words} />}
        <Counts compared={compared} />{' '}
        <span className="text-ink-3">
          <PlainText text={health('equal', { sample: words.count(change.own.sample), previous })} charactersMax={200} />
        </span>
      </p>
    </>
  )
}

/** A release of the axis, the one in question first. */
type NamedShare = { version: string; share: RestShare }

/** Crash-free sessions of the releases on one axis. */
function Axis({ entries }: { entries: readonly NamedShare[] }) {
  const t = useTranslations('releases.health')
  const words = healthWords(useLocale())
  if (entries.length === 0) return null
  return (
    <div className="verdict-axis">
      <Intervals
        entries={entries}
        words={words}
        labels={{
          caption: t('intervals'),
          release: t('release'),
          share: t('crashFreeSessions'),
          interval: t('interval'),
          sessions: t('sessions'),
        }}
      />
    </div>
  )
}

/**
 * The band at the head of a release: the verdict with its confidence, the intervals of crash-free sessions beside it.
 * Without `compared` there is no release to compare with.
 */
export function VerdictBand({
  compared,
  entries,
  children,
}: {
  compared: RestReleaseCompare | undefined
  entries: readonly NamedShare[]
  /** Actions below the verdict. */
  children?: ReactNode
}) {
  const t = useTranslations('compare.verdict')
  const change = compared?.change ?? undefined
  return (
    <section className="verdict" data-verdict={change?.verdict ?? 'none'} aria-label={t('label')}>
      <div className="verdict-text">
        {change?.verdict === 'worse' ? <SeverityShape level="warning" label="" sizePx={14} /> : null}
        {change?.verdict === 'better' ? <SeverityShape level="ok" label="" sizePx={14} /> : null}
        <div>
          {compared === undefined ? (
            <>
              <h2>{t('first')}</h2>
              <p>{t('firstWhy')}</p>
            </>
          ) : change ? (
            <Judged compared={compared} change={change} />
          ) : (
            <IssuesOnly compared={compared} />
          )}
          {children}
        </div>
      </div>
      <Axis entries={entries} />
    </section>
  )
}
