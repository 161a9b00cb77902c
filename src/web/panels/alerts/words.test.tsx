import { NextIntlClientProvider } from 'next-intl'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import de from '../../messages/alerts.de.json'
import en from '../../messages/alerts.en.json'
import explore from '../../messages/explore.en.json'
import { emptyDraft, type MetricPart, type RuleDraft, triggerOf, triggerTypes, withMeasure } from './draft.ts'
import { useLasted, useMinutes, useRuleWords } from './words.tsx'

const Said = ({ read }: { read: () => string }) => read()

/** The text that a hook's function returns. */
function said(read: () => string, locale: 'en' | 'de' = 'en'): string {
  const messages = { alerts: locale === 'en' ? en : de, explore }
  const html = renderToStaticMarkup(
    <NextIntlClientProvider locale={locale} timeZone="UTC" messages={messages}>
      <Said read={read} />
    </NextIntlClientProvider>,
  )
  return html.replaceAll('\u00a0', ' ').replaceAll('&lt;', '<').replaceAll('&gt;', '>')
}
const clause = (draft: RuleDraft, locale: 'en' | 'de' = 'en') => said(() => useRuleWords().clauseOf(draft), locale)

const { issue } = emptyDraft
const metric = (change: Partial<MetricPart>, threshold: Partial<MetricPart['threshold']> = {}): RuleDraft => {
  const part = { ...emptyDraft.metric, ...change }
  return { ...emptyDraft, kind: 'metric', metric: { ...part, threshold: { ...part.threshold, ...threshold } } }
}
const { plan } = emptyDraft.metric

describe('the clause of a rule', () => {
  test.each([
    [emptyDraft, 'there is a new issue in all projects'],
    [
      {
        ...emptyDraft,
        projects: ['web', 'api'],
        environment: 'production',
        issue: { ...issue, filter: 'level:fatal' },
      },
      'there is a new issue in web, api (production) and it matches level:fatal',
    ],
    [
      { ...emptyDraft, issue: { ...issue, match: 'all' as const, when: [triggerOf('events'), triggerOf('rate')] } },
      'an issue has 100 events within 1 hour and an issue has 100 % more events within 1 hour than the week before in all projects',
    ],
    [metric({}), 'the number of errors is above 50 within 10 minutes in all projects'],
    [metric({}, { critical: null }), 'the number of errors is above … within 10 minutes in all projects'],
    [
      metric(withMeasure(emptyDraft.metric, 'p95'), { critical: 2000, direction: 'below' }),
      'the p95 duration of spans is below 2 s within 10 minutes in all projects',
    ],
    [
      metric({ windowMinutes: 1440 }, { type: 'change', before: 'day', critical: 100 }),
      'the number of errors within 1 day is 100% above the day before in all projects',
    ],
    [
      metric({}, { type: 'weekly', direction: 'below' }),
      'the number of errors within 10 minutes is 50% below its weekly pattern in all projects',
    ],
    [
      metric({
        of: 'c',
        plan: {
          ...plan,
          series: [...plan.series, { name: 'b', aggregate: 'sum(value)' }],
          formulas: [{ name: 'c', expression: 'a / b * 2' }],
        },
      }),
      'count() / sum(value) * 2 of Errors is above 50 within 10 minutes in all projects',
    ],
  ])('%#', (draft, text) => {
    expect(clause(draft)).toBe(text)
  })
  test.each(triggerTypes)('of the trigger %s has words in both languages', (type) => {
    const draft = { ...emptyDraft, issue: { ...issue, when: [triggerOf(type)] } }
    for (const locale of ['en', 'de'] as const) expect(clause(draft, locale)).not.toMatch(/alerts\.|\{/)
  })
  test('hostile names are text', () => {
    expect(clause({ ...emptyDraft, environment: '<b>{x}' })).toContain('(<b>{x})')
  })
})

test.each([
  [1, '1 minute'],
  [90, '90 minutes'],
  [120, '2 hours'],
  [43_200, '30 days'],
])('%s minutes are %s', (minutes, text) => {
  expect(said(() => useMinutes()(minutes))).toBe(text)
})

test.each([
  [1000, '1 min'],
  [25 * 60_000, '25 min'],
  [125 * 60_000, '2 h 05'],
  [50 * 3_600_000, '2 d 2 h'],
])('%s ms lasted %s', (ms, text) => {
  expect(said(() => useLasted()(ms))).toBe(text)
})
