import { NextIntlClientProvider } from 'next-intl'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { RestIncidentDetails } from '../../../contract/alerts/incidents.ts'
import { type MetricReason, reasonData, type StepReason } from '../../../domain/alerts/step-reasons.ts'
import commonDe from '../../messages/de.json'
import commonEn from '../../messages/en.json'
import de from '../../messages/incidents.de.json'
import en from '../../messages/incidents.en.json'
import { NowProvider } from '../../ui/time.tsx'
import { IncidentHistory } from './history.tsx'

type Activity = RestIncidentDetails['activity'][number]

/** The sentence that the history shows for a step. */
function said(type: Activity['type'], data: Activity['data'], locale: 'en' | 'de'): string {
  const messages = locale === 'en' ? { ...commonEn, incidents: en } : { ...commonDe, incidents: de }
  const step = { id: '1', type, date: '2026-11-23T12:00:00.000Z', person: null, data }
  const html = renderToStaticMarkup(
    <NextIntlClientProvider locale={locale} timeZone="UTC" messages={messages}>
      <NowProvider startMs={Date.UTC(2026, 10, 23, 13)}>
        <IncidentHistory activity={[step]} />
      </NowProvider>
    </NextIntlClientProvider>,
  )
  const text = /<span class="min-w-0[^>]*>(.*?)<\/span><\/li>/.exec(html)?.[1] ?? ''
  return text
    .replace(/<[^>]*>/g, '')
    .replaceAll('\u00a0', ' ')
    .replaceAll('&gt;', '>')
}

const reasons: [StepReason, string][] = [
  [{ why: 'issue_resolved', issue: 'WEB-1' }, 'WEB-1 wurde gelöst.'],
  [{ why: 'issue_archived', issue: 'WEB-1' }, 'WEB-1 wurde archiviert.'],
  [{ why: 'issue_gone' }, 'Das Issue wurde gelöscht oder zusammengeführt.'],
  [{ why: 'rule_gone' }, 'Die Regel wurde gelöscht oder ausgeschaltet.'],
  [{ why: 'rule_changed' }, 'Die Regel wurde geändert.'],
  [{ why: 'quiet' }, 'Einen Tag lang geschah nichts.'],
  [{ why: 'snoozed' }, 'Der Vorfall ist zurückgestellt.'],
  [{ why: 'rule_muted' }, 'Die Regel ist stummgeschaltet.'],
  [{ why: 'muted', mute: 'Move {x}' }, 'Stummgeschaltet: Move {x}'],
  [{ why: 'flood' }, 'Zu viele Issues auf einmal.'],
]

test.each(reasons)('the reason %j is a sentence in the language of the reader', (reason, german) => {
  const data = reasonData(reason)
  expect(said('ended', data, 'en')).toBe(`It ended. ${data.reason}`)
  expect(said('ended', data, 'de')).toBe(`Er ist beendet. ${german}`)
})

const metric: MetricReason = {
  why: 'metric',
  rule: 'Checkout',
  measured: 'count()',
  group: '',
  value: 3,
  windowMinutes: 10,
  direction: 'above',
  threshold: 25,
  compared: 'fixed',
}
test.each<[Partial<MetricReason>, string, string]>([
  [
    {},
    'Checkout ended: count() is 3 in 10 min, threshold above 25.',
    'Checkout ist beendet: count() ist 3 in 10 min, Schwelle über 25.',
  ],
  [
    { value: null, group: '/pay, web' },
    'Checkout ended: count() of /pay, web has no data in 10 min, threshold above 25.',
    'Checkout ist beendet: count() von /pay, web hat keine Daten in 10 min, Schwelle über 25.',
  ],
  [
    { value: 1.235, direction: 'below', compared: 'day' },
    'Checkout ended: count() is 1.235 in 10 min, threshold below 25% against the day before.',
    'Checkout ist beendet: count() ist 1,235 in 10 min, Schwelle unter 25 % gegenüber dem Tag davor.',
  ],
  [
    { compared: 'weekly' },
    'Checkout ended: count() is 3 in 10 min, threshold above 25% against the usual week.',
    'Checkout ist beendet: count() ist 3 in 10 min, Schwelle über 25 % gegenüber der üblichen Woche.',
  ],
])('the end of a metric with %j', (change, english, german) => {
  const data = { reason: 'unused', ...metric, ...change }
  expect(said('ended', data, 'en')).toBe(`It ended. ${english}`)
  expect(said('ended', data, 'de')).toBe(`Er ist beendet. ${german}`)
})

test.each<[Activity['type'], Activity['data'], string]>([
  ['ended', { reason: 'WEB-1 was resolved.' }, 'Er ist beendet. WEB-1 was resolved.'],
  [
    'left',
    { members: 2, reason: 'Of a later version.', why: 'unknown' },
    '2 gehören nicht mehr dazu. Of a later version.',
  ],
  ['left', { members: 1, ...reasonData({ why: 'quiet' }) }, '1 gehört nicht mehr dazu. Einen Tag lang geschah nichts.'],
  [
    'suppressed',
    { ...reasonData({ why: 'snoozed' }) },
    'Eine Nachricht wurde zurückgehalten. Der Vorfall ist zurückgestellt.',
  ],
  [
    'tracker_held',
    { ...reasonData({ why: 'flood' }) },
    'Es wurde kein Tracker-Issue angelegt: Zu viele Issues auf einmal.',
  ],
  ['tracker_created', { reason: 'acme/web#1' }, 'acme/web#1 wurde angelegt.'],
])('%s with %j', (type, data, german) => {
  expect(said(type, data, 'de')).toBe(german)
})
