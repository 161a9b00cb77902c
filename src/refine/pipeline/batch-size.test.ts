import { expect, test } from 'vitest'
import type { RecordHead } from '../../journal/journal.ts'
import type { Rows } from '../../store/events/row-file.ts'
import type { TableName } from '../../store/events/tables.ts'
import { cutToBodies, growthOf, limitsOf } from './batch-size.ts'
import { receivedCount } from './worker.ts'

const MiB = 1024 * 1024
const head: RecordHead = {
  kind: 'envelope',
  receivedMs: 0,
  projectId: 1,
  organizationId: 1,
  keyId: 1,
  clientAddress: '',
  userAgent: '',
  origin: '',
  contentType: '',
}

test.each<[string, Parameters<typeof limitsOf>, number, number]>([
  ['events have limits of their own, whatever bulk data grows to', ['events', 0.1], 3000, 12],
  ['rows that are smaller than what was received', ['bulk', 0.4], 4000, 24],
  ['spans and log lines', ['bulk', 0.7], 4000, 20],
  ['points of OpenTelemetry', ['bulk', 2], 4000, 7],
  ['rows that are much larger', ['bulk', 50], 4000, 2],
])('limits of a batch: %s', (_name, args, records, mebibytes) => {
  const { recordsMax, bytesMax } = limitsOf(...args)
  expect([recordsMax, Math.round(bytesMax / MiB)]).toEqual([records, mebibytes])
})

test('growth is that of the largest table for the bytes that came', () => {
  const lines = new Map<TableName, Rows>([
    ['spans', { path: 'x', bytes: 3 * MiB }],
    ['logs', new Uint8Array(MiB)],
  ])
  const outcomes = [
    receivedCount(1, 1, 'envelope', 10, 2 * MiB),
    receivedCount(2, 1, 'envelope', 10, MiB),
    { ...receivedCount(1, 1, 'span', 10, 7 * MiB), outcome: 'invalid' as const },
  ]
  expect(growthOf({ lines, outcomes })).toBe(1)
  expect(growthOf({ lines, outcomes: [receivedCount(1, 1, 'envelope', 1, 1000)] })).toBeUndefined()
  expect(growthOf({ lines: new Map(), outcomes })).toBeLessThan(1e-6)
})

test.each<[string, { spooled?: number; bytes: number }[], number, number]>([
  ['all fit', [{ bytes: 4 }, { bytes: 6 }], 2, 100],
  ['bodies in the journal', [{ bytes: 4 }, { bytes: 6 }, { bytes: 1 }], 2, 30],
  [
    'bodies in the spool',
    [
      { bytes: 0, spooled: 8 },
      { bytes: 0, spooled: 8 },
    ],
    1,
    20,
  ],
  ['the first is too large', [{ bytes: 0, spooled: 99 }, { bytes: 1 }], 1, 20],
  ['one that is too large', [{ bytes: 0, spooled: 99 }], 1, 100],
  ['none', [], 0, 100],
])('a read is cut by the bytes of its bodies: %s', (_name, bodies, kept, next) => {
  const records = bodies.map(({ bytes, spooled }, at) => ({
    jpos: (at + 1) * 10,
    head: spooled === undefined ? head : { ...head, spool: { key: 'k', bytes: spooled } },
    body: Buffer.alloc(bytes),
  }))
  const cut = cutToBodies({ records, next: 100 }, 10)
  expect([cut.records, cut.next]).toEqual([records.slice(0, kept), next])
})
