import { describe, expect, it, test } from 'vitest'
import { hydrationCauses, invariants, noiseKinds, skewKinds } from '../../domain/diagnostics.ts'
import { doctorFindings } from '../../domain/doctor-findings.ts'
import { groupingHints } from '../../domain/grouping.ts'
import { logKeys } from '../../query/logs/keys.ts'
import { metricKeys } from '../../query/metrics/metric-keys.ts'
import { messageKeyOf, offeredKeys } from '../../query/search.ts'
import alertsDe from './alerts.de.json'
import alertsEn from './alerts.en.json'
import boardsDe from './boards.de.json'
import boardsEn from './boards.en.json'
import chartsDe from './charts.de.json'
import chartsEn from './charts.en.json'
import compareDe from './compare.de.json'
import compareEn from './compare.en.json'
import signsDe from './diagnostics.de.json'
import signsEn from './diagnostics.en.json'
import doctorDe from './doctor.de.json'
import doctorEn from './doctor.en.json'
import exploreDe from './explore.de.json'
import exploreEn from './explore.en.json'
import failuresDe from './failures.de.json'
import failuresEn from './failures.en.json'
import filtersDe from './filters.de.json'
import filtersEn from './filters.en.json'
import frameDe from './frame.de.json'
import frameEn from './frame.en.json'
import groupingDe from './grouping.de.json'
import groupingEn from './grouping.en.json'
import issuepageDe from './issuepage.de.json'
import issuepageEn from './issuepage.en.json'
import de from './issues.de.json'
import en from './issues.en.json'
import logsDe from './logs.de.json'
import logsEn from './logs.en.json'
import metricsDe from './metrics.de.json'
import metricsEn from './metrics.en.json'
import noiseDe from './noise.de.json'
import noiseEn from './noise.en.json'
import notificationsDe from './notifications.de.json'
import notificationsEn from './notifications.en.json'
import partsDe from './parts.de.json'
import partsEn from './parts.en.json'
import peopleDe from './people.de.json'
import peopleEn from './people.en.json'
import releasesDe from './releases.de.json'
import releasesEn from './releases.en.json'
import rowsDe from './rows.de.json'
import rowsEn from './rows.en.json'
import searchDe from './search.de.json'
import searchEn from './search.en.json'
import securityDe from './security.de.json'
import securityEn from './security.en.json'
import sourcesDe from './sources.de.json'
import sourcesEn from './sources.en.json'
import operationDe from './status.de.json'
import operationEn from './status.en.json'
import traceDe from './trace.de.json'
import traceEn from './trace.en.json'
import tracesDe from './traces.de.json'
import tracesEn from './traces.en.json'
import triageDe from './triage.de.json'
import triageEn from './triage.en.json'

type Messages = { [key: string]: string | Messages }

function flat(messages: Messages, path = ''): [string, string][] {
  return Object.entries(messages).flatMap(([key, value]): [string, string][] =>
    typeof value === 'string' ? [[`${path}${key}`, value]] : flat(value, `${path}${key}.`),
  )
}
const placeholders = (text: string) =>
  [...new Set([...text.matchAll(/\{(\w+)[,}]/g)].map((found) => found[1]))].sort().join(' ')

describe.each([
  ['issue', en, de],
  ['alert', alertsEn, alertsDe],
  ['dashboard', boardsEn, boardsDe],
  ['chart', chartsEn, chartsDe],
  ['compare', compareEn, compareDe],
  ['issue page', issuepageEn, issuepageDe],
  ['noise', noiseEn, noiseDe],
  ['notification', notificationsEn, notificationsDe],
  ['status', operationEn, operationDe],
  ['issue page', partsEn, partsDe],
  ['people', peopleEn, peopleDe],
  ['trace', traceEn, traceDe],
  ['traces', tracesEn, tracesDe],
  ['release', releasesEn, releasesDe],
  ['explore', exploreEn, exploreDe],
  ['log', logsEn, logsDe],
  ['metric', metricsEn, metricsDe],
  ['failure', failuresEn, failuresDe],
  ['filter', filtersEn, filtersDe],
  ['row', rowsEn, rowsDe],
  ['search', searchEn, searchDe],
  ['frame', frameEn, frameDe],
  ['security', securityEn, securityDe],
  ['sign', signsEn, signsDe],
  ['source map', sourcesEn, sourcesDe],
  ['doctor', doctorEn, doctorDe],
  ['grouping', groupingEn, groupingDe],
  ['triage', triageEn, triageDe],
] as [string, Messages, Messages][])('texts of the %s pages', (_pages, first, second) => {
  const english = new Map(flat(first))
  const german = new Map(flat(second))
  it('have the same keys in both languages', () => {
    expect([...german.keys()].sort()).toEqual([...english.keys()].sort())
  })
  it.each([...english])('%s takes the same values in both', (key, text) => {
    expect(text.trim()).not.toBe('')
    // next-intl treats angle brackets as markup.
    expect(text).not.toMatch(/[<>]/)
    expect(placeholders(german.get(key) ?? '')).toBe(placeholders(text))
  })
})

test('the issue page gives the reasons of noise in the words of the API', () => {
  expect(noiseEn.why).toEqual(noiseKinds)
  expect(Object.keys(noiseEn.kind).sort()).toEqual(Object.keys(noiseKinds).sort())
})

test('the release page names kinds of skew in the words of the API', () => {
  expect(releasesEn.skew.kind).toEqual(skewKinds)
})

describe('hints of grouping', () => {
  it('each has its sentence', () => expect(Object.keys(groupingEn.hint).sort()).toEqual([...groupingHints].sort()))
})

test('the search box has a sentence for each key that it offers', () => {
  expect(Object.keys(searchEn.key).sort()).toEqual(offeredKeys.map(messageKeyOf).sort())
})

test.each([
  ['logs', logsEn.key, logKeys],
  ['metrics', metricsEn.key, metricKeys],
])('the search box over %s has a sentence for each of their keys', (_name, sentences, keys) => {
  expect(Object.keys(sentences).sort()).toEqual(keys.map(messageKeyOf).sort())
})

describe('what the doctor finds', () => {
  const said = Object.entries(doctorFindings).map(([code, { message, mend }]) => [code, { message, mend }])
  it('is said on the screen in the same words as by the API and the command', () => {
    expect(doctorEn.finding).toEqual(Object.fromEntries(said))
  })
})

test('signs are said on the screen in the same words as by the API', () => {
  const { invariant, hydration, skew, noise } = signsEn
  expect({ invariant, hydration, skew, noise }).toEqual({
    invariant: invariants,
    hydration: hydrationCauses,
    skew: skewKinds,
    noise: noiseKinds,
  })
  const chips = [signsEn.causeChip, signsEn.skewChip, signsEn.chip]
  expect(chips.map((chip) => Object.keys(chip))).toEqual([hydrationCauses, skewKinds, noiseKinds].map(Object.keys))
})
