import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { listSegments, listSpares, newestFile, readNewest, segmentPath, validBytes, writeNewest } from './folder.ts'
import { segmentSpan } from './journal.ts'
import { encodePrefix, endMark } from './record.ts'

const mebibyte = 1024 * 1024
let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mishap-folder-'))
})
afterEach(() => rmSync(folder, { recursive: true }))
const touch = (...names: string[]) => {
  for (const name of names) writeFileSync(join(folder, name), '')
}

test('only whole names are segments and spares', () => {
  touch('000000012.seg', '000000003.seg', 'x000000004.seg', '000000005.seg~', '0000000006.seg', '7.seg')
  touch('spare-1', 'spare-12', 'old-spare-3', 'spare-4~', 'spare-', 'spare-x', 'newest')
  expect(listSegments(folder)).toEqual([3, 12])
  expect(listSpares(folder).sort()).toEqual(['spare-1', 'spare-12'])
})

describe('the number of the newest segment', () => {
  test.each([
    ['7\n', 7],
    ['123456789\n', 123_456_789],
    ['1234567890\n', 0],
    ['12\n34\n', 0],
    ['x12\n', 0],
  ])('%j counts as %i', (content, expected) => {
    writeFileSync(join(folder, newestFile), content)
    expect(readNewest(folder)).toBe(expected)
  })

  test('is 0 without a file, and an error when it cannot be read', () => {
    expect(readNewest(folder)).toBe(0)
    mkdirSync(join(folder, newestFile))
    expect(() => readNewest(folder)).toThrow(expect.objectContaining({ code: 'EISDIR' }))
  })

  test('is its owner’s alone', () => {
    writeNewest(folder, 42)
    expect(readFileSync(join(folder, newestFile), 'latin1')).toBe('42\n')
    expect(statSync(join(folder, newestFile)).mode & 0o777).toBe(0o600)
  })
})

describe('where the last whole record ends', () => {
  /** Writes records with bodies of these sizes as segment 2. Returns where each record ends. */
  function write(bodies: number[], behind: Buffer = Buffer.alloc(0)): number[] {
    const parts: Buffer[] = []
    let at = 0
    const ends = bodies.map((bytes) => {
      const [head, body] = [Buffer.from('{"kind":"envelope"}'), Buffer.alloc(bytes, 'b')]
      const record = Buffer.concat([encodePrefix(2 * segmentSpan + at, head, body), head, body])
      parts.push(record)
      at += record.length
      return at
    })
    writeFileSync(segmentPath(folder, 2), Buffer.concat([...parts, behind]))
    return ends
  }

  // One scan reads 8 MiB.
  test.each([
    ['nothing', []],
    ['small ones', [10, 20]],
    ['one that is longer than a scan, to the last byte', [9 * mebibyte]],
    ['one over the border of two scans', [7 * mebibyte, 2 * mebibyte, 5]],
    ['one that is longer than a scan, among others', [10, 17 * mebibyte, 9 * mebibyte, 10]],
  ])('%s', (_name, bodies) => {
    const ends = write(bodies)
    expect(validBytes(folder, 2)).toBe(ends.at(-1) ?? 0)
  })

  test.each([
    ['an end mark', endMark],
    ['a torn record', Buffer.from([40, 0, 0, 0, 1, 2, 3, 4, 19, 0, 0, 0, 0x7b])],
    ['a record that would be longer than the file', Buffer.from([0, 0, 0, 1, 1, 2, 3, 4, 19, 0, 0, 0])],
    ['a wrong checksum', Buffer.from([6, 0, 0, 0, 1, 2, 3, 4, 2, 0, 0, 0, 0x7b, 0x7d])],
  ])('before %s', (_name, behind) => {
    const ends = write([10, 9 * mebibyte], behind)
    expect(validBytes(folder, 2)).toBe(ends[1])
  })
})
