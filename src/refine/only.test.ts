import { expect, test } from 'vitest'
import { plainSettings, recordedMs, refineBody, viewOf } from './pipeline/fixture.cases.ts'
import { refineRecord } from './pipeline/record.ts'

const report = (directive: string) => ({
  type: 'csp-violation',
  url: 'https://shop.test/',
  body: {
    documentURL: 'https://shop.test/',
    effectiveDirective: directive,
    blockedURL: `https://${directive}.test/x.js`,
  },
})
const directives = ['script-src', 'img-src', 'font-src', 'style-src']
const body = JSON.stringify(directives.map(report))
const head = { kind: 'security', contentType: 'application/reports+json' } as const

const whole = refineBody(body, head)
const hashesOf = (at: number) => whole.events[at]?.row.hashes ?? []
const seen = (refined: ReturnType<typeof refineBody>) =>
  refined.events.map(({ index, row }) => [index, row.jpos - 1000, row.message.includes(directives[index] ?? '?')])

test('the events of a record stand behind its position, by their numbers', () => {
  expect(seen(whole)).toEqual([0, 1, 2, 3].map((n) => [n, n, true]))
})

test('numbers and positions stay when one of them was discarded since', () => {
  const later = refineBody(body, head, { discardedHashes: hashesOf(1) })
  expect(seen(later)).toEqual([0, 2, 3].map((n) => [n, n, true]))
})

test.each([
  ['nothing was discarded', [], 2, 'font-src'],
  ['one before it was discarded', [1], 2, 'font-src'],
  ['all before it were', [0, 1], 2, 'font-src'],
  ['the first is wanted', [1], 0, 'script-src'],
  ['the last is wanted', [0, 1, 2], 3, 'style-src'],
])('of a dead item that is sent again the event that died is taken: %s', (_name, discarded, only, directive) => {
  const discardedHashes = discarded.flatMap(hashesOf)
  const { events, outcomes, received } = refineBody(body, { ...head, only }, { discardedHashes })
  expect(events.map((event) => [event.index, event.row.jpos, event.row.hashes])).toEqual([
    [only, 1000 + only, hashesOf(only)],
  ])
  expect(events[0]?.row.message).toContain(directive)
  expect([outcomes, received]).toEqual([[], 1])
})

test.each([
  ['was discarded itself', { discardedHashes: hashesOf(2) }, 2, 'filtered discarded'],
  ['is not there', {}, 9, 'invalid bad_item'],
])('an event that %s ends once, and no other is taken for it', (_name, settings, only, end) => {
  const { events, outcomes } = refineBody(body, { ...head, only }, settings)
  expect([events, outcomes.map((outcome) => `${outcome.outcome} ${outcome.reason}`)]).toEqual([[], [end]])
})

test('no event stands where the next record does', () => {
  const record = {
    jpos: 1000,
    end: 1003,
    body: Buffer.alloc(0),
    head: {
      ...head,
      receivedMs: recordedMs,
      projectId: 7,
      organizationId: 1,
      keyId: 3,
      clientAddress: '',
      userAgent: '',
      origin: '',
    },
  }
  const { events, outcomes } = viewOf(refineRecord(record, Buffer.from(body), plainSettings))
  expect(events.map((event) => event.row.jpos)).toEqual([1000, 1001, 1002])
  expect(outcomes.map((outcome) => `${outcome.outcome} ${outcome.reason}`)).toEqual(['invalid too_many_items'])
})
