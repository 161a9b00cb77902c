import { join } from 'node:path'
import { expect, test } from 'vitest'
import { unpackDeadLetter } from '../journal/dead-letter.ts'
import { openFileBlobs } from '../store/blobs/files.ts'
import { streamedType } from './kinds/span/items.ts'
import { bench, head, outcome, send, settled } from './rig.cases.ts'

const hex = (n: number, length = 16) => n.toString(16).padStart(length, 'c')
const atS = Date.now() / 1000
const times = { start_timestamp: atS - 1, timestamp: atS }

/** A transaction with two valid spans and an invalid one, which counts as invalid when the item first arrives. */
const transaction = (name: string, n: number) => ({
  transaction: name,
  ...times,
  contexts: { trace: { trace_id: hex(n, 32), span_id: hex(n) } },
  spans: [...[1, 2].map((at) => ({ ...times, span_id: hex(n + at), parent_span_id: hex(n) })), { span_id: 'none' }],
})
const container = (name: string, n: number) => ({
  items: [0, 1, 2, 3].map((at) => ({
    trace_id: hex(n, 32),
    span_id: hex(n + at),
    name,
    start_timestamp: atS - 1,
    end_timestamp: atS,
  })),
})
const item = (framing: object, payload: object) => `${JSON.stringify(framing)}\n${JSON.stringify(payload)}\n`
/** 3 spans stored and 1 invalid, the same again, 4 spans. */
const body = Buffer.from(
  [
    '{}\n',
    item({ type: 'transaction' }, transaction('GET /fine', 100)),
    item({ type: 'transaction' }, transaction('GET /poison/one', 200)),
    item({ type: 'span', content_type: streamedType }, container('poison two', 300)),
  ].join(''),
)
const all = 3 + 3 + 4

test.each<[string, string, number, { index: number; count: object }[]]>([
  [
    'a transaction with its spans',
    '/poison/',
    3,
    [{ index: 1, count: { category: 'transaction', itemType: 'transaction', spans: 2 } }],
  ],
  ['a span item', 'poison two', 4, [{ index: 2, count: { category: 'span', itemType: 'span', spans: 3 } }]],
  [
    'two items of one record',
    'poison',
    7,
    [
      { index: 1, count: { category: 'transaction', itemType: 'transaction', spans: 2 } },
      { index: 2, count: { category: 'span', itemType: 'span', spans: 3 } },
    ],
  ],
])('%s that the store refuses: dead, kept whole, sent again, counted once', async (_name, bad, died, items) => {
  const entry = await bench()
  entry.events.spans.bad = bad
  const refine = entry.open()
  await refine.start()
  const jpos = await entry.writer.append(head(entry.projectId), body)
  await send(entry, 1)
  refine.advance(entry.writer.durable())
  await settled(entry, 1 + all - died)
  const sums = async () =>
    await Array.fromAsync(['stored', 'dead', 'invalid', 'duplicate', 'received'], async (name) => outcome(entry, name))
  expect(await sums()).toEqual([1 + all - died, died, 2, 0, 1 + all + 2])
  const dead = (await entry.meta.ledger.deadLetters(10)).toReversed()
  expect(dead.map(({ blobKey }) => blobKey)).toEqual(items.map(({ index }) => `dead/${jpos}-${index}`))

  entry.events.spans.bad = ''
  for (const [at, found] of dead.entries()) {
    const kept = unpackDeadLetter(
      (await openFileBlobs(join(entry.folder, 'blobs')).get(found.blobKey)) ?? Buffer.alloc(0),
    )
    if (!kept) throw new Error('it holds no record')
    expect([kept.body.equals(body), kept.count, kept.head.onlyItem]).toEqual([true, items[at]?.count, items[at]?.index])
    const again = { ...kept.head, again: { ...found, ...kept.count } }
    await entry.writer.append(again, kept.body)
  }
  refine.advance(entry.writer.durable())
  await settled(entry, 1 + all)
  expect([await sums(), await entry.meta.ledger.deadLetters(10), entry.events.spans.lines.length]).toEqual([
    [1 + all, 0, 2, 0, 1 + all + 2],
    [],
    all,
  ])
  expect(entry.failures).toEqual([])
})

test('events are stored beside spans that are refused, and the event of a record keeps its end', async () => {
  const entry = await bench()
  entry.events.spans.bad = 'poison'
  entry.events.state.bad = 'PoisonError'
  const refine = entry.open()
  await refine.start()
  const event = { exception: { values: [{ type: 'PoisonError', value: 'x' }] } }
  const mixed = `{}\n${item({ type: 'event' }, event)}${item({ type: 'transaction' }, transaction('poison', 900))}`
  const jpos = await entry.writer.append(head(entry.projectId), Buffer.from(mixed))
  await send(entry, 3)
  refine.advance(entry.writer.durable())
  await settled(entry, 3)
  expect([await outcome(entry, 'stored'), await outcome(entry, 'dead'), entry.events.rows.length]).toEqual([3, 4, 3])
  const keys = (await entry.meta.ledger.deadLetters(10)).map(({ blobKey }) => blobKey)
  expect(keys.sort()).toEqual([`dead/${jpos}`, `dead/${jpos}-1`])
})
