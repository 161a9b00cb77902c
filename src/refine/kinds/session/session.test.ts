import { describe, expect, test } from 'vitest'
import type { ProjectSettings } from '../../../store/meta/meta.ts'
import { recordedMs, refineBody } from '../../pipeline/fixture.cases.ts'

const iso = (ms: number) => new Date(ms).toISOString()
const attrs = { release: 'web@1.0.0', environment: 'production' }
const sid = '7c7b6585f9014351bf8d02711b721929'
const update = {
  sid,
  did: 'ann',
  init: true,
  started: iso(recordedMs - 5000),
  timestamp: iso(recordedMs),
  status: 'ok',
  errors: 0,
  attrs,
}
const bucket = { started: iso(recordedMs - 60_000), exited: 7, crashed: 1 }

const envelope = (...items: [type: string, body: unknown][]) =>
  [
    '{}',
    ...items.flatMap(([type, body]) => [
      JSON.stringify({ type }),
      typeof body === 'string' ? body : JSON.stringify(body),
    ]),
  ].join('\n')

/** The result of an envelope: rows of sessions, their counts, and all outcomes as short texts. */
function refined(body: string, head = {}, settings: Partial<ProjectSettings> = {}) {
  const { groups, outcomes, effects, received } = refineBody(body, head, settings)
  const own = groups.flatMap((group) => (group.table === 'sessions' ? [group] : []))
  const all = [...own.flatMap((group) => group.outcomes), ...outcomes]
  return {
    groups: own,
    rows: own.flatMap((group) => group.rows),
    effects,
    received,
    outcomes: all.map((end) => `${end.itemType} ${end.category} ${end.outcome} ${end.reason} ${end.quantity}`),
    counted: all.reduce((sum, end) => sum + end.quantity, 0),
  }
}

describe('a session', () => {
  test('becomes a row, and names its release', () => {
    const { rows, outcomes, effects, received } = refined(
      envelope(['session', { ...update, seq: 3, init: false, errors: 1, duration: 5 }]),
    )
    expect(rows).toEqual([
      {
        projectId: 7,
        sid,
        startedMs: recordedMs - 5000,
        release: 'web@1.0.0',
        environment: 'production',
        seq: 3,
        status: 'ok',
        hasErrors: true,
        isInit: false,
        quantity: 1,
        userHash: expect.stringMatching(/^[0-9a-f]{16}$/),
        durationS: 5,
        receivedMs: recordedMs,
        jpos: 1000,
        place: 0,
        entries: 1,
      },
    ])
    expect(JSON.stringify(rows)).not.toContain('ann')
    expect([outcomes, received]).toEqual([['session session stored ok 1'], 1])
    expect(effects.releases).toEqual([
      {
        projectId: 7,
        release: 'web@1.0.0',
        environment: 'production',
        firstMs: recordedMs - 5000,
        lastMs: recordedMs - 5000,
      },
    ])
  })

  test('of one user is of the same one in each update, of none has no hash', () => {
    const { rows } = refined(
      envelope(
        ['session', update],
        ['session', { ...update, did: ' ann ' }],
        ['session', { ...update, did: undefined }],
      ),
    )
    expect(rows[0]?.userHash).toBe(rows[1]?.userHash)
    expect(rows[2]?.userHash).toBe('')
  })

  test('without an id has one of its own place, the same when it is refined again', () => {
    const body = envelope(['session', { ...update, sid: undefined }], ['session', { ...update, sid: undefined }])
    const ids = refined(body).rows.map((row) => row.sid)
    expect(new Set(ids).size).toBe(2)
    expect(refined(body).rows.map((row) => row.sid)).toEqual(ids)
  })

  test('that comes again is known by what it says', () => {
    const keys = (body: object) => refined(envelope(['session', body])).groups.map((group) => group.key)
    expect(keys(update)).toEqual(keys(update))
    expect(keys(update)).not.toEqual(keys({ ...update, errors: 1 }))
  })
})

describe('an aggregate', () => {
  test('is one entry of the ledger for each bucket, and a row for each end', () => {
    const { rows, outcomes, received } = refined(
      envelope(['sessions', { aggregates: [bucket, { ...bucket, did: 'ann', crashed: 0 }], attrs }]),
    )
    expect(
      rows.map(({ status, quantity, place, entries, isInit }) => [status, quantity, place, entries, isInit]),
    ).toEqual([
      ['exited', 7, 0, 1, true],
      ['crashed', 1, 1, 0, true],
      ['exited', 7, 2, 1, true],
    ])
    expect([outcomes, received]).toEqual([['sessions session stored ok 2'], 2])
  })

  test('is never taken for another one: processes of a server may count the same', () => {
    const keys = refined(
      envelope(['sessions', { aggregates: [bucket], attrs }], ['sessions', { aggregates: [bucket], attrs }]),
    ).groups.map((group) => [group.key, group.place])
    expect(new Set(keys.map(([key]) => key)).size).toBe(2)
    expect(keys.map(([, place]) => place)).toEqual([0, 2])
  })

  test('of more than 100 buckets keeps the first', () => {
    const { rows, outcomes, received } = refined(
      envelope(['sessions', { aggregates: Array.from({ length: 130 }, () => ({ ...bucket, crashed: 0 })), attrs }]),
    )
    expect([rows.length, received]).toEqual([100, 130])
    expect(outcomes).toEqual(['sessions session stored ok 100', 'sessions session invalid too_many_items 30'])
  })
})

describe('what cannot be counted', () => {
  const cases: [what: string, type: string, body: unknown, outcomes: string[]][] = [
    ['no JSON', 'session', '{', ['session session invalid bad_json 1']],
    ['a list', 'session', [update], ['session session invalid bad_item 1']],
    ['no release', 'session', { ...update, attrs: {} }, ['session session invalid bad_item 1']],
    ['no attributes', 'session', { ...update, attrs: 'web@1' }, ['session session invalid bad_item 1']],
    [
      'a start of last month',
      'session',
      { ...update, started: iso(recordedMs - 30 * 86_400_000) },
      ['session session invalid bad_item 1'],
    ],
    ['no buckets', 'sessions', { attrs }, ['sessions session invalid bad_item 1']],
    ['an empty list of them', 'sessions', { aggregates: [], attrs }, ['sessions session invalid bad_item 1']],
    ['no list of them', 'sessions', { aggregates: {}, attrs }, ['sessions session invalid bad_item 1']],
    [
      'buckets without a release',
      'sessions',
      { aggregates: [bucket, bucket] },
      ['sessions session invalid bad_item 2'],
    ],
    [
      'some buckets that are none',
      'sessions',
      { aggregates: [bucket, null, 5, { exited: 3 }], attrs },
      ['sessions session stored ok 1', 'sessions session invalid bad_item 3'],
    ],
    [
      'only buckets that are none',
      'sessions',
      { aggregates: [null, {}], attrs },
      ['sessions session invalid bad_item 2'],
    ],
  ]
  test.each(cases)('%s has an outcome for each entry', (_what, type, body, outcomes) => {
    const found = refined(envelope([type, body]))
    expect(found.outcomes).toEqual(outcomes)
    expect(found.received).toBe(found.counted)
  })

  test('is filtered as an event would be', () => {
    const filters = {
      addresses: ['203.0.113.0/24'],
      releases: [],
      messages: [],
      cspSources: [],
      browsers: [],
      localhost: false,
      crawlers: false,
      extensions: false,
      hydration: false,
      chunkLoad: false,
    }
    const body = envelope(['session', update], ['sessions', { aggregates: [bucket, bucket], attrs }])
    const dropped = refined(body, {}, { filters })
    expect(dropped.rows).toEqual([])
    expect(dropped.outcomes).toEqual([
      'session session filtered ip_address 1',
      'sessions session filtered ip_address 2',
    ])
    expect(refined(body, { clientAddress: '198.51.100.4' }, { filters }).rows).toHaveLength(5)
    const releases = { ...filters, addresses: [], releases: ['web@1.*'] }
    expect(refined(body, {}, { filters: releases }).outcomes[0]).toBe('session session filtered release_version 1')
  })
})

test('times of a clock that is hours off are moved by when the envelope was sent', () => {
  const early = recordedMs - 6 * 86_400_000
  const body = envelope(['session', { ...update, started: iso(early - 5000), timestamp: iso(early) }])
  expect(refined(body).outcomes).toEqual(['session session invalid bad_item 1'])
  const sent = body.replace('{}', JSON.stringify({ sent_at: iso(early) }))
  expect(refined(sent).rows[0]?.startedMs).toBe(recordedMs - 5000)
})
