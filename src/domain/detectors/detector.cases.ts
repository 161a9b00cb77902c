import type { DetectorSegment, DetectorSpan } from './detector-segment.ts'

// For tests: segments without an SDK.

const plain = { parentId: 's', failed: false, httpStatus: 0, blocking: '', bytes: -1, decodedBytes: -1 }

/** A span from `at` on, both in milliseconds. */
export const spanOf = (id: string, at: number, ms: number, more: Partial<DetectorSpan>): DetectorSpan => ({
  ...plain,
  spanId: id,
  op: 'db',
  category: 'db',
  statement: '',
  text: more.statement ?? '',
  startUs: at * 1000,
  durationUs: ms * 1000,
  ...more,
})

/** A request with these spans. */
export const segmentOf = (spans: DetectorSpan[], more: Partial<DetectorSegment> = {}): DetectorSegment => ({
  segmentId: 's',
  op: 'http.server',
  kind: 'server',
  transaction: 'GET /orders',
  route: '/orders',
  startUs: 0,
  durationUs: 10_000_000,
  paintMs: 0,
  spans,
  ...more,
})
