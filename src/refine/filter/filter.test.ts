import { describe, expect, test } from 'vitest'
import { noFilters, type ProjectFilters } from '../../domain/filters.ts'
import { plainSettings, recordedMs, refineBody } from '../pipeline/fixture.cases.ts'
import { refineRecord } from '../pipeline/record.ts'

// A filtered event in the pipeline: one outcome, together with its related items, and a sample of 1 in 100.

const on = (filters: Partial<ProjectFilters>) => ({ filters: { ...noFilters, ...filters } })
const event = { exception: { values: [{ type: 'Error', value: 'drop this' }] }, level: 'error' }
const messages = ['Error: drop*']
const ends = (refined: ReturnType<typeof refineBody>) =>
  refined.outcomes.map(
    (outcome) => `${outcome.itemType} ${outcome.category} ${outcome.outcome} ${outcome.reason} ${outcome.bytes > 0}`,
  )

test('an event that is dropped ends once, and makes no row', () => {
  const body = JSON.stringify(event)
  expect(refineBody(body, { kind: 'store' }).events).toHaveLength(1)
  const refined = refineBody(body, { kind: 'store' }, on({ messages }))
  expect([refined.events, ends(refined)]).toEqual([[], ['event error filtered error_message true']])
  expect(refineBody(body, { kind: 'store' }, on({ messages: ['Error: keep*'] })).events).toHaveLength(1)
})

test('its attachment goes with it, for the same reason', () => {
  const id = 'a'.repeat(32)
  const envelope = `{"event_id":"${id}"}\n{"type":"event"}\n${JSON.stringify(event)}\n{"type":"attachment","length":2,"filename":"a.txt"}\nhi`
  const refined = refineBody(envelope, {}, on({ messages }))
  expect([refined.attachments, ends(refined)]).toEqual([
    [],
    ['event error filtered error_message true', 'attachment attachment filtered error_message true'],
  ])
})

test.each<[string, Partial<ProjectFilters>, object, string]>([
  ['the sender’s address', { addresses: ['203.0.113.9'] }, {}, 'ip_address'],
  ['the sender’s agent', { crawlers: true }, { userAgent: 'Googlebot/2.1' }, 'web_crawler'],
  [
    'the browser that the agent names',
    { browsers: ['ie'] },
    { userAgent: 'Mozilla/5.0 (Windows NT 6.1; Trident/7.0; rv:11.0) like Gecko' },
    'legacy_browser',
  ],
])('%s counts', (_name, filters, head, reason) => {
  const body = JSON.stringify({ ...event, platform: 'javascript' })
  expect(ends(refineBody(body, { kind: 'store', ...head }, on(filters)))).toEqual([
    `event error filtered ${reason} true`,
  ])
})

test('one of several reports is dropped: the others keep their places, and it is not taken for one of them', () => {
  const report = (host: string) => ({
    type: 'csp-violation',
    url: 'https://shop.test/',
    body: { documentURL: 'https://shop.test/', effectiveDirective: 'img-src', blockedURL: `https://${host}/x.png` },
  })
  const body = JSON.stringify([report('one.test'), report('two.test'), report('three.test')])
  const head = { kind: 'security', contentType: 'application/reports+json' } as const
  const filters = on({ cspSources: ['two.test'] })
  const refined = refineBody(body, head, filters)
  expect(refined.events.map((entry) => [entry.index, entry.row.jpos])).toEqual([
    [0, 1000],
    [2, 1002],
  ])
  expect(ends(refined)).toEqual(['security security filtered csp_source true'])
  expect(ends(refineBody(body, { ...head, only: 1 }, filters))).toEqual(['event error filtered csp_source true'])
})

test.each([
  ['a filter', on({ messages: ['Error: drop*'] })],
  [
    'a tombstone',
    { discardedHashes: refineBody(JSON.stringify(event), { kind: 'store' }).events[0]?.row.hashes ?? [] },
  ],
])('%s of after a row was stored does not take it out', (_name, settings) => {
  const body = JSON.stringify(event)
  const refined = (jpos: number) =>
    refineBody(body, { kind: 'store' }, settings, undefined, new Map([[jpos, new Set([0])]]))
  expect([refined(1001).events.length, refined(1000).events.length]).toEqual([0, 1])
  expect(refined(1000).outcomes).toEqual([])
})

describe('one in a hundred is kept to look at', () => {
  const at = (jpos: number, settings: object, body: object = event) => {
    const bytes = Buffer.from(JSON.stringify(body))
    const head = {
      ...({ kind: 'store', receivedMs: recordedMs, projectId: 7, organizationId: 1, keyId: 3 } as const),
      clientAddress: '203.0.113.9',
      userAgent: '',
      origin: '',
      contentType: '',
      eventId: 'b'.repeat(32),
    }
    const record = { jpos, end: jpos + 400, head, body: bytes }
    return refineRecord(record, bytes, { ...plainSettings, ...settings }).effects.samples
  }
  const places = Array.from({ length: 600 }, (_, n) => n * 500)
  const kept = places.filter((jpos) => at(jpos, on({ messages })).length > 0)
  const [first = -1] = kept

  test('by its place, the same each time; scrubbed', () => {
    // The mean is 6 of 600.
    expect(kept.length).toBeGreaterThan(0)
    expect(kept.length).toBeLessThan(20)
    const secret = { ...event, extra: { password: 'hunter2', shown: 'yes' } }
    const samples = at(first, on({ messages }), secret)
    expect(at(first, on({ messages }), secret)).toEqual(samples)
    expect(samples).toMatchObject([
      {
        projectId: 7,
        reason: 'error_message',
        title: 'Error: drop this',
        why: 'Error: drop*',
        receivedMs: recordedMs,
        eventId: 'b'.repeat(32),
      },
    ])
    expect(samples[0]?.payload).toContain('"shown":"yes"')
    expect(samples[0]?.payload).not.toContain('hunter2')
  })

  test('without the address where addresses are scrubbed, and without what is too large', () => {
    const filters = on({ addresses: ['203.0.113.0/24'] })
    expect(at(first, filters)[0]?.why).toBe('203.0.113.9')
    expect(at(first, { ...filters, scrubIpAddresses: true })[0]?.why).toBe('')
    const extra = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`n${n}`, 'x'.repeat(15_000)]))
    expect(at(first, on({ messages }), { ...event, extra })[0]?.payload).toBe('')
  })
})
