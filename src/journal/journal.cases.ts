import { describe, expect, test } from 'vitest'
import type { JournalReader, JournalRecord, JournalWriter, RecordHead } from './journal.ts'

/** A journal under test. `open` can be called again after `close`, like after a restart. Segments end at 64 KiB. */
export type JournalUnderTest = {
  open(options?: {
    bytesMax?: number
    trimmedTo?: number
    groupMs?: number
  }): Promise<{ writer: JournalWriter; reader: JournalReader }>
  remove(): Promise<void>
}

export const head = (n: number, changes: Partial<RecordHead> = {}): RecordHead => ({
  kind: 'envelope',
  receivedMs: 1_795_000_000_000 + n,
  projectId: n,
  organizationId: 1,
  keyId: 3,
  clientAddress: '203.0.113.9',
  userAgent: 'sentry.javascript.browser/11.12.0 “日本”',
  origin: 'https://shop.example',
  contentType: 'text/plain',
  ...changes,
})

/** Reads all records from a position on, in reads of at most `recordsMax` records and `bytesMax` bytes. */
export function readAll(
  reader: JournalReader,
  durable: number,
  from = 0,
  recordsMax = 7,
  bytesMax = 3000,
): JournalRecord[] {
  const all: JournalRecord[] = []
  for (let at = from; ; ) {
    const { records, next } = reader.read(at, durable, recordsMax, bytesMax)
    all.push(...records.map((record) => ({ ...record, body: Buffer.from(record.body) })))
    if (next === at) return all
    at = next
  }
}

/** Cases that every journal must pass. */
export function journalCases(make: () => JournalUnderTest): void {
  const using = async (run: (journal: JournalUnderTest) => Promise<void>) => {
    const journal = make()
    try {
      await run(journal)
    } finally {
      await journal.remove()
    }
  }

  describe('append and read', () => {
    test.each([
      ['nothing', 0],
      ['one byte', 1],
      ['2 kB', 2000],
      ['more than a read', 10_000],
      ['more than a segment', 200_000],
    ])('a body of %s comes back with its head', (_name, bytes) =>
      using(async (journal) => {
        const { writer, reader } = await journal.open()
        const body = Buffer.alloc(bytes, 'é\0\n')
        const sent = head(5, { skip: [1, 4], spool: { key: 'spool/a', bytes: 9 }, clientHints: { 'sec-ch-ua': '"x"' } })
        const jpos = await writer.append(sent, body)
        const [record, ...rest] = readAll(reader, writer.durable())
        expect(rest).toEqual([])
        expect(record).toEqual({ jpos, end: writer.durable(), head: sent, body })
        reader.close()
        await writer.close()
      }),
    )

    test('many, in order, over segments; each can be read from its own position', () =>
      using(async (journal) => {
        const { writer, reader } = await journal.open()
        const positions = await Promise.all(
          Array.from({ length: 300 }, (_, n) => writer.append(head(n), Buffer.alloc(n * 7, n))),
        )
        const records = readAll(reader, writer.durable())
        expect(records.map((record) => record.head.projectId)).toEqual(Array.from({ length: 300 }, (_, n) => n))
        expect(records.map((record) => record.jpos)).toEqual(positions)
        expect([...positions].sort((a, b) => a - b)).toEqual(positions)
        expect(Math.floor((positions[299] ?? 0) / 2 ** 28)).toBeGreaterThan(
          Math.floor((positions[0] ?? 0) / 2 ** 28) + 2,
        )
        for (const at of [0, 1, 150, 299]) {
          const found = reader.read(positions[at] ?? 0, writer.durable(), 1, 10)
          expect(found.records.map((record) => record.head.projectId)).toEqual([at])
          expect(reader.count(positions[at] ?? 0, writer.durable(), 1000)).toBe(300 - at)
        }
        expect(reader.count(0, positions[299] ?? 0, 1000)).toBe(299)
        expect(reader.count(0, (positions[299] ?? 0) + 1, 1000)).toBe(299)
        expect(reader.count(0, writer.durable(), 7)).toBe(7)
        reader.close()
        await writer.close()
      }))

    test('nothing is read behind durable, and nothing when there is nothing', () =>
      using(async (journal) => {
        const { writer, reader } = await journal.open()
        expect(reader.read(0, writer.durable(), 9, 9999)).toEqual({ records: [], next: 0 })
        expect(reader.count(0, writer.durable(), 9)).toBe(0)
        const first = await writer.append(head(1), Buffer.from('a'))
        const durable = writer.durable()
        const reported: number[] = []
        const stop = writer.onDurable((at) => reported.push(at))
        await writer.append(head(2), Buffer.from('b'))
        stop()
        await writer.append(head(3), Buffer.from('c'))
        expect(reported).toHaveLength(1)
        const found = reader.read(first, durable, 9, 9999)
        expect([found.records.length, found.next]).toEqual([1, durable])
        expect(reader.read(durable, durable, 9, 9999)).toEqual({ records: [], next: durable })
        reader.close()
        await writer.close()
      }))
  })

  describe('after a restart', () => {
    test('all is there, positions grow, lag is counted from the trim position', () =>
      using(async (journal) => {
        const first = await journal.open()
        const entry = await first.writer.append(head(1), Buffer.from('a'))
        const end = first.writer.durable()
        await first.writer.close()
        const second = await journal.open({ trimmedTo: entry })
        expect(second.writer.lagBytes()).toBe(end - entry)
        const two = await second.writer.append(head(2), Buffer.from('b'))
        expect(two).toBeGreaterThan(end)
        expect(readAll(second.reader, second.writer.durable()).map((record) => record.head.projectId)).toEqual([1, 2])
        expect(readAll(second.reader, second.writer.durable(), end).map((record) => record.jpos)).toEqual([two])
        expect(second.reader.count(0, second.writer.durable(), 9)).toBe(2)
        const [lag, done] = [second.writer.lagBytes(), second.writer.doneBytes()]
        await second.writer.trim(second.writer.durable())
        expect(second.writer.lagBytes()).toBe(0)
        expect(second.writer.doneBytes() - done).toBe(lag)
        await second.writer.close()
        const third = await journal.open({ trimmedTo: second.writer.durable() })
        expect(third.writer.lagBytes()).toBe(0)
        expect(await third.writer.append(head(3), Buffer.from('c'))).toBeGreaterThan(second.writer.durable())
        expect(readAll(third.reader, third.writer.durable(), second.writer.durable())).toHaveLength(1)
        await third.writer.close()
      }))
  })

  describe('bound', () => {
    test('at it appends are refused, after a trim they go on', () =>
      using(async (journal) => {
        const { writer } = await journal.open({ bytesMax: 20_000 })
        const settled = await Promise.allSettled(
          Array.from({ length: 10 }, (_, n) => writer.append(head(n), Buffer.alloc(4000))),
        )
        const refused = settled.filter((entry) => entry.status === 'rejected')
        expect(refused.map((entry) => entry.reason.code)).toEqual(Array(6).fill('ACCEPT_OVERLOADED'))
        await expect(writer.append(head(1), Buffer.alloc(4000))).rejects.toMatchObject({ code: 'ACCEPT_OVERLOADED' })
        await writer.trim(writer.durable())
        await writer.append(head(1), Buffer.alloc(4000))
        await writer.close()
        await expect(writer.append(head(1), Buffer.alloc(1))).rejects.toMatchObject({ status: 503 })
      }))

    test('what is trimmed is gone, the rest stays; what takes its files is not mistaken for it', () =>
      using(async (journal) => {
        const { writer, reader } = await journal.open()
        for (let round = 0; round < 12; round++) {
          const from = writer.durable()
          await Promise.all(
            Array.from({ length: 8 }, (_, n) => writer.append(head(round * 8 + n), Buffer.alloc(5000 + round, round))),
          )
          const records = readAll(reader, writer.durable(), from)
          expect(records.map((record) => record.head.projectId)).toEqual(
            Array.from({ length: 8 }, (_, n) => round * 8 + n),
          )
          await writer.trim(records[0]?.jpos ?? 0)
        }
        const left = readAll(reader, writer.durable())
        expect(left.length).toBeLessThan(40)
        expect(left.at(-1)?.head.projectId).toBe(95)
        reader.close()
        await writer.close()
      }))
  })
}
