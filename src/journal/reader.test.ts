import { mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { segmentPath } from './folder.ts'
import { head, readAll } from './journal.cases.ts'
import { type JournalReader, segmentSpan } from './journal.ts'
import { type Corrupt, createReader } from './reader.ts'
import { encodePrefix } from './record.ts'

let folder = ''
let reader: JournalReader
let corrupt: Corrupt[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mishap-reader-'))
  corrupt = []
  reader = createReader(folder, { onCorrupt: (found) => corrupt.push(found) })
})
afterEach(() => {
  reader.close()
  rmSync(folder, { recursive: true })
})

/** Writes a segment of records with these project ids. Returns where each record begins and the last one ends. */
function segment(number: number, projects: number[], bodyBytes = 50): number[] {
  const parts: Buffer[] = []
  let at = number * segmentSpan
  const starts = projects.map((project) => {
    const [headBytes, body] = [Buffer.from(JSON.stringify(head(project))), Buffer.alloc(bodyBytes, 'b')]
    parts.push(encodePrefix(at, headBytes, body), headBytes, body)
    const start = at
    at += 12 + headBytes.length + body.length
    return start
  })
  writeFileSync(segmentPath(folder, number), Buffer.concat(parts))
  return [...starts, at]
}
const projectsOf = (found: { records: { head: { projectId: number } }[] }) =>
  found.records.map((record) => record.head.projectId)

describe('one read', () => {
  test('takes as many records as the bytes allow, and one at least', () => {
    const starts = segment(1, [1, 2, 3, 4])
    const [first = 0, second = 0, third = 0] = starts
    const end = starts.at(-1) ?? 0
    const bytes = second - first
    const read = (bytesMax: number, from = first) => projectsOf(reader.read(from, end, 9, bytesMax))
    expect([read(1e6), read(3 * bytes), read(3 * bytes - 1), read(1), read(0), read(1e6, third)]).toEqual([
      [1, 2, 3, 4],
      [1, 2, 3],
      [1, 2],
      [1],
      [1],
      [3, 4],
    ])
  })

  test('ends at what is durable, though more lies behind it', () => {
    const [, second = 0, third = 0] = segment(1, [1, 2, 3])
    expect(projectsOf(reader.read(second, third, 9, 1e6))).toEqual([2])
    expect(reader.read(third, third, 9, 1e6)).toEqual({ records: [], next: third })
  })

  test('finds nothing from a position behind what is durable, in later segments too', () => {
    const [, second = 0] = segment(1, [1, 2])
    segment(2, [3])
    segment(3, [4])
    for (const from of [second + 1, 2 * segmentSpan, 3 * segmentSpan])
      expect(reader.read(from, second, 9, 1e6)).toEqual({ records: [], next: from })
    expect(projectsOf(reader.read(0, second, 9, 1e6))).toEqual([1])
  })

  test('goes on in the next segment behind the end of one, or beyond its end', () => {
    const end = segment(1, [1]).at(-1) ?? 0
    const durable = segment(4, [2]).at(-1) ?? 0
    for (const from of [end, end + 1, end + 1000, 2 * segmentSpan])
      expect([from, projectsOf(reader.read(from, durable, 9, 1e6))]).toEqual([from, [2]])
  })

  test('stays where it is when no segment is there', () => {
    expect(reader.read(0, 5 * segmentSpan, 9, 1e6)).toEqual({ records: [], next: 0 })
    const end = segment(1, [1]).at(-1) ?? 0
    expect(reader.read(end, 5 * segmentSpan, 9, 1e6)).toEqual({ records: [], next: end })
    // The records before that durable position were removed.
    expect(reader.read(2 * segmentSpan, 2 * segmentSpan + 9, 9, 1e6)).toEqual({ records: [], next: 2 * segmentSpan })
  })
})

describe('a torn tail', () => {
  test.each([1, 30, 200, 290])('of an older segment, %i bytes short, ends it and is no loss', (missing) => {
    const starts = segment(1, [1, 2])
    const [, second = 0] = starts
    const durable = segment(2, [3]).at(-1) ?? 0
    truncateSync(segmentPath(folder, 1), ((starts.at(-1) ?? 0) % segmentSpan) - missing)
    expect(readAll(reader, durable).map((record) => record.head.projectId)).toEqual([1, 3])
    expect(projectsOf(reader.read(second, durable, 9, 20))).toEqual([3])
    expect(reader.count(0, durable, 9)).toBe(2)
    expect(corrupt).toEqual([])
  })

  test('below what is durable is a loss, and the next read begins behind it', () => {
    const starts = segment(1, [1, 2])
    const [, second = 0, end = 0] = starts
    truncateSync(segmentPath(folder, 1), (end % segmentSpan) - 5)
    expect(reader.read(second, end, 9, 1e6)).toEqual({ records: [], next: end })
    expect(reader.read(second, end, 9, 1e6)).toEqual({ records: [], next: end })
    expect(corrupt).toEqual([{ jpos: second, bytes: end - second }])
    expect(reader.count(0, end, 9)).toBe(2)
  })
})

describe('a count', () => {
  test('ends at the position and at the most that are asked for', () => {
    const [, second = 0, third = 0] = segment(1, [1, 2, 3])
    const starts = segment(2, [4, 5])
    segment(3, [6])
    const [, fifth = 0, end = 0] = starts
    const counts = [second, second + 1, third, 2 * segmentSpan, fifth, end].map((to) => reader.count(0, to, 99))
    expect(counts).toEqual([1, 1, 2, 3, 4, 5])
    expect([0, 1, 4, 5, 6].map((most) => reader.count(0, end, most))).toEqual([0, 1, 4, 5, 5])
    expect(reader.count(second, fifth, 99)).toBe(3)
  })

  test('passes over segments that are away', () => {
    const end = segment(3, [1, 2]).at(-1) ?? 0
    expect([reader.count(segmentSpan, end, 9), reader.count(0, 9 * segmentSpan, 9)]).toEqual([2, 2])
  })
})

test('a segment that cannot be opened is an error, one that is away is not', () => {
  symlinkSync('000000001.seg', segmentPath(folder, 1))
  expect(() => reader.read(segmentSpan, segmentSpan + 9, 9, 9)).toThrow(expect.objectContaining({ code: 'ELOOP' }))
})

test('closing twice is safe, and a closed reader opens anew', () => {
  const end = segment(1, [1]).at(-1) ?? 0
  expect(projectsOf(reader.read(0, end, 9, 9))).toEqual([1])
  reader.close()
  reader.close()
  expect(projectsOf(reader.read(0, end, 9, 9))).toEqual([1])
})
