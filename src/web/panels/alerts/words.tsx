'use client'
import { useLocale, useTranslations } from 'next-intl'
import { measureText } from '../../ui/measure.ts'
import { type AlertTrigger, filterOf, type MetricPart, measureOf, type RuleDraft, unitOf } from './draft.ts'

/** A number of minutes in its largest whole unit: "10 minutes", "1 hour", "14 days". */
export function useMinutes(): (minutes: number) => string {
  const t = useTranslations('alerts.time')
  return (minutes) => {
    if (minutes % 1440 === 0) return t('days', { count: minutes / 1440 })
    return minutes % 60 === 0 ? t('hours', { count: minutes / 60 }) : t('minutes', { count: minutes })
  }
}

/** A duration in ms for tables: "2 h 05", "25 min". */
export function useLasted(): (ms: number) => string {
  const t = useTranslations('alerts.time')
  return (ms) => {
    const minutes = Math.max(1, Math.round(ms / 60_000))
    if (minutes < 60) return t('shortMinutes', { count: minutes })
    if (minutes >= 2880)
      return t('shortDays', { days: Math.floor(minutes / 1440), hours: Math.floor((minutes % 1440) / 60) })
    return t('shortHours', { hours: Math.floor(minutes / 60), minutes: String(minutes % 60).padStart(2, '0') })
  }
}

/** The measure of a rule in words. A plan without a name is its function or formula. */
function useMeasureWords(): (part: MetricPart) => string {
  const t = useTranslations('alerts.measure')
  const explore = useTranslations('explore.datasets')
  return (part) => {
    const measure = measureOf(part)
    if (measure !== 'query') return t(measure)
    const { plan, of } = part
    const formula = plan.formulas.find(({ name }) => name === of)?.expression
    const named = (name: string) => plan.series.find((series) => series.name === name)?.aggregate ?? name
    const expression = formula ? formula.replaceAll(/\b[a-z][a-z0-9_]{0,19}\b/g, named) : named(of)
    return t('ofData', { expression, dataset: explore(plan.dataset) })
  }
}

function useTriggerWords(): (trigger: AlertTrigger) => string {
  const t = useTranslations('alerts.clause')
  const minutes = useMinutes()
  return (trigger) => {
    if (trigger.type === 'events' || trigger.type === 'users')
      return t(trigger.type, { count: trigger.count, window: minutes(trigger.windowMinutes) })
    if (trigger.type === 'rate') {
      const { percent, windowMinutes, before } = trigger
      return t('rate', { percent, window: minutes(windowMinutes), before: t(`before.${before}`) })
    }
    return t(trigger.type)
  }
}

/** Texts of a rule: a threshold with its unit, and the clause behind "when". */
export function useRuleWords() {
  const t = useTranslations('alerts.clause')
  const measure = measureText(useLocale())
  const measureWords = useMeasureWords()
  const triggerWords = useTriggerWords()
  const minutes = useMinutes()

  function byGroup({ plan }: MetricPart, measured: string): string {
    return plan.groupBy.length > 0 ? t('byGroup', { measured, fields: plan.groupBy.join(', ') }) : measured
  }
  function metricClause(metric: MetricPart): string {
    const { threshold, windowMinutes } = metric
    const { type, direction, before = 'week', critical } = threshold
    const values = {
      measure: byGroup(metric, measureWords(metric)),
      value: critical === null ? '…' : measure(critical, type === 'fixed' ? unitOf(metric) : 'percent'),
      window: minutes(windowMinutes),
    }
    if (type === 'fixed') return t(direction, values)
    return type === 'weekly'
      ? t(direction === 'above' ? 'weeklyAbove' : 'weeklyBelow', values)
      : t(direction === 'above' ? 'changeAbove' : 'changeBelow', { ...values, before: t(`before.${before}`) })
  }
  function clauseOf(draft: RuleDraft): string {
    const { kind, issue, metric, projects, environment } = draft
    const watched =
      kind === 'metric'
        ? metricClause(metric)
        : issue.when.map(triggerWords).join(` ${t(issue.match === 'any' ? 'or' : 'and')} `)
    const filter = filterOf(draft)
    return [
      watched,
      projects.length > 0 ? t('inProjects', { projects: projects.join(', ') }) : t('inAll'),
      ...(environment === null ? [] : [t('inEnvironment', { environment })]),
      ...(filter === '' ? [] : [t('matching', { filter })]),
    ].join(' ')
  }
  return { clauseOf }
}
