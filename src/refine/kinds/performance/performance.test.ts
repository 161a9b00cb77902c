import { describe, expect, test } from 'vitest'
import type { Detection, DetectionRecord } from '../../../domain/detectors/detection.ts'
import { detectionEventId, detectionHash } from '../../../domain/detectors/detection-ids.ts'
import type { NormalEvent } from '../../../domain/event.ts'
import { recordedMs, refineBody } from '../../pipeline/fixture.cases.ts'
import { effectOf } from '../error/events.ts'

const detection: Detection = {
  detector: 'nPlusOneQueries',
  traceId: 'ab'.repeat(16),
  segmentId: '1'.repeat(16),
  parentId: '2'.repeat(16),
  op: 'http.server',
  route: '/orders',
  startUs: recordedMs * 1000 - 2e6,
  segmentUs: 1e6,
  cause: 'SELECT * FROM items WHERE order_id = ?',
  count: 38,
  totalUs: 1_200_000,
  savedUs: 1_100_000,
  paintMs: 0,
  spans: [{ id: '3'.repeat(16), op: 'db', statement: 'SELECT 1', at: 5, durationUs: 7 }],
}
const eventId = detectionEventId(detection)
const record: DetectionRecord = { eventId, environment: 'production', release: 'shop@1', platform: 'node', detection }
const refine = (body: unknown, settings = {}) =>
  refineBody(typeof body === 'string' ? body : JSON.stringify(body), { kind: 'detection', keyId: 0 }, settings)

describe('a detection', () => {
  test('becomes an event of a performance issue', () => {
    const { events, received, outcomes } = refine(record)
    const [entry] = events
    expect([events.length, received, outcomes]).toEqual([1, 1, []])
    expect(entry?.outcome).toMatchObject({ outcome: 'stored', category: 'performance_issue', itemType: 'detection' })
    expect(entry?.row).toMatchObject({
      eventId,
      groupHash: detectionHash(detection),
      type: 'generic',
      level: 'info',
      release: 'shop@1',
      environment: 'production',
      transaction: '/orders',
      traceId: detection.traceId,
      userHash: '',
      timestampUs: recordedMs * 1000 - 1e6,
    })
    expect(entry?.effect).toMatchObject({
      kind: 'performance_n_plus_one_db_queries',
      title: 'N+1 query: SELECT * FROM items WHERE order_id = ? (38 times, 1.2 s)',
      culprit: '/orders',
      metadata: { type: 'N+1 query', value: detection.cause },
    })
    const event = JSON.parse(entry?.forms.normal ?? '') as NormalEvent
    expect(event.findings.performance).toEqual(detection)
    expect(event.contexts.trace).toMatchObject({ trace_id: detection.traceId, parent_span_id: detection.parentId })
  })

  test('has the same effect when a recovery makes it from its row', () => {
    const [entry] = refine(record).events
    const row = entry && { ...entry.row, payload: `${entry.forms.normal}\n` }
    expect(row && effectOf(row, 0)).toEqual(entry?.effect)
  })

  test.each<[string, unknown, object, object]>([
    [
      'of a discarded issue is filtered',
      record,
      { discardedHashes: [detectionHash(detection)] },
      { outcome: 'filtered', reason: 'discarded' },
    ],
    ['of a removed project is filtered', record, { removed: true }, { outcome: 'filtered', reason: 'discarded' }],
    ['that is no JSON is invalid', '{', {}, { outcome: 'invalid', reason: 'bad_item' }],
    [
      'of an unknown detector is invalid',
      { ...record, detection: { ...detection, detector: 'later' } },
      {},
      { outcome: 'invalid' },
    ],
    ['without spans is invalid', { ...record, detection: { ...detection, spans: 1 } }, {}, { outcome: 'invalid' }],
  ])('%s', (_says, body, settings, outcome) => {
    const { events, outcomes, received } = refine(body, settings)
    expect([events, outcomes, received]).toMatchObject([[], [{ ...outcome, category: 'performance_issue' }], 1])
  })

  test('its group does not depend on the trace, its event does', () => {
    const other = { ...detection, traceId: 'cd'.repeat(16) }
    expect(detectionHash(other)).toBe(detectionHash(detection))
    expect(detectionEventId(other)).not.toBe(eventId)
    expect(detectionHash({ ...detection, route: '/other' })).not.toBe(detectionHash(detection))
  })
})
