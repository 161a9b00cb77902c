import { useLocale, useTranslations } from 'next-intl'
import type { RestOverview } from '../../../contract/overview.ts'
import { Fact, Facts } from '../../ui/facts.tsx'
import { type Figures, figuresOf, toneOf } from './figures.ts'

const optional = <Key extends string, Value>(key: Key, value: Value | undefined) =>
  (value === undefined ? {} : { [key]: value }) as { [Name in Key]?: Value }

/** The props for a count and its growth. */
function counted(figures: Figures, counts: { now: number; before: number } | null, missing: string) {
  if (!counts) return { value: '–', title: missing }
  const growth = figures.growth(counts)
  return {
    value: figures.count(counts.now),
    ...optional('change', growth),
    ...optional('tone', growth === undefined ? undefined : toneOf(counts.now - counts.before)),
  }
}

/** The strip above the page: what happened in the range, and how it changed. */
export function Summary({ overview }: { overview: RestOverview }) {
  const t = useTranslations('overview.facts')
  const figures = figuresOf(useLocale())
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
      <Fact label={t('events')} {...counted(figures, events, t('away'))} />
      <Fact label={t('users')} {...counted(figures, users, t('away'))} />
      <Fact
        label={t('crashFree')}
        value={sessions ? figures.share(sessions.share) : '–'}
        {...optional(
          'change',
          sessions ? [figures.margin(sessions), figures.points(by)].filter(Boolean).join(', ') : undefined,
        )}
        {...optional('tone', figures.points(by) ? toneOf(-by) : undefined)}
        {...optional('title', sessions ? undefined : hasFailed('sessions') ? t('away') : t('noSessions'))}
      />
      <Fact
        label={t('failureRate')}
        value={segments ? figures.rate(rateOf(segments.now)) : '–'}
        {...optional('change', figures.points(rateBy))}
        {...optional('tone', figures.points(rateBy) ? toneOf(rateBy) : undefined)}
        title={segments ? t('ofSegments', { count: segments.now.count }) : noSpans}
      />
      <Fact
        label={t('p75')}
        value={segments?.now.p75Ms == null ? '–' : figures.duration(segments.now.p75Ms)}
        {...optional('change', figures.slower(slower))}
        {...optional('tone', figures.slower(slower) ? toneOf(slower) : undefined)}
        title={segments ? t('ofSegments', { count: segments.now.count }) : noSpans}
      />
      <Fact
        label={t('unresolved')}
        value={figures.count(unresolved.all)}
        change={t('states', { new: unresolved.new, regressed: unresolved.regressed })}
      />
    </Facts>
  )
}
