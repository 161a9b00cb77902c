import { useLocale, useTranslations } from 'next-intl'
import type { RestOverview } from '../../../contract/overview.ts'
import { Fact, Facts } from '../../ui/facts.tsx'
import { type OverviewWords, overviewWords, toneOf } from './words.ts'

const optional = <Key extends string, Value>(key: Key, value: Value | undefined) =>
  (value === undefined ? {} : { [key]: value }) as { [Name in Key]?: Value }

/** The props for a count and its growth. */
function counted(words: OverviewWords, counts: { now: number; before: number } | null, missing: string) {
  if (!counts) return { value: '–', title: missing }
  const growth = words.growth(counts)
  return {
    value: words.count(counts.now),
    ...optional('change', growth),
    ...optional('tone', growth === undefined ? undefined : toneOf(counts.now - counts.before)),
  }
}

/** The strip above the page: what happened in the range, and how it changed. */
export function Summary({ overview }: { overview: RestOverview }) {
  const t = useTranslations('overview.facts')
  const words = overviewWords(useLocale())
  const { events, users, crashFree, segments, unresolved, failed } = overview
  const hasFailed = (part: RestOverview['failed'][number]['part']) => failed.some((entry) => entry.part === part)
  const sessions = crashFree?.now
  const by = sessions && crashFree?.before ? sessions.share - crashFree.before.share : 0
  const rateOf = (half: { count: number; failed: number }) => (half.count === 0 ? 0 : half.failed / half.count)
  const rateBy = segments && segments.before.count > 0 ? rateOf(segments.now) - rateOf(segments.before) : 0
  const slower =
    segments?.now.p75Ms != null && segments.before.p75Ms != null ? segments.now.p75Ms - segments.before.p75Ms : 0
  const noSpans = hasFailed('segments') ? t('late') : t('noSpans')
  return (
    <Facts>
      <Fact label={t('events')} {...counted(words, events, t('away'))} />
      <Fact label={t('users')} {...counted(words, users, t('away'))} />
      <Fact
        label={t('crashFree')}
        value={sessions ? words.share(sessions.share) : '–'}
        {...optional(
          'change',
          sessions ? [words.margin(sessions), words.points(by)].filter(Boolean).join(', ') : undefined,
        )}
        {...optional('tone', words.points(by) ? toneOf(-by) : undefined)}
        {...optional('title', sessions ? undefined : hasFailed('sessions') ? t('away') : t('noSessions'))}
      />
      <Fact
        label={t('failureRate')}
        value={segments ? words.rate(rateOf(segments.now)) : '–'}
        {...optional('change', words.points(rateBy))}
        {...optional('tone', words.points(rateBy) ? toneOf(rateBy) : undefined)}
        title={segments ? t('ofSegments', { count: segments.now.count }) : noSpans}
      />
      <Fact
        label={t('p75')}
        value={segments?.now.p75Ms == null ? '–' : words.duration(segments.now.p75Ms)}
        {...optional('change', words.slower(slower))}
        {...optional('tone', words.slower(slower) ? toneOf(slower) : undefined)}
        title={segments ? t('ofSegments', { count: segments.now.count }) : noSpans}
      />
      <Fact
        label={t('unresolved')}
        value={words.count(unresolved.all)}
        change={t('states', { new: unresolved.new, regressed: unresolved.regressed })}
      />
    </Facts>
  )
}
