import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { encodeEventRow } from '../../store/events/encode.ts'
import { isRowFile, linesOf } from '../../store/events/row-file.ts'
import { refineBody } from './fixture.cases.ts'
import { createLineFiles, dropLineFiles, type LineFile } from './line-files.ts'
import { createLines } from './lines.ts'

const refined = (body: string | Buffer) => {
  const [event] = refineBody(body).events
  if (!event) throw new Error('not stored')
  return event
}
const envelope = (payload: string | Buffer) =>
  Buffer.concat([
    Buffer.from(`{"event_id":"${'a'.repeat(32)}"}\n{"type":"event","length":${Buffer.byteLength(payload)}}\n`),
    Buffer.from(payload),
  ])

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mishap-lines-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

let job = 0
const newFile = (): LineFile => {
  const file = createLineFiles(join(folder, 'rows-'))(++job, 'events')
  if (!file) throw new Error('no file')
  return file
}

/** Compares the lines, in memory and in a file, with the same rows encoded one by one from their text. */
function same(bodies: (string | Buffer)[], room: number): void {
  const [lines, filed] = [createLines(room), createLines(room, newFile())]
  const rows = bodies.map(refined)
  for (const { row, forms } of rows) {
    lines.write(row, forms)
    filed.write(row, forms)
    expect(filed.size).toBe(lines.size)
  }
  const text = rows.map(({ row }) => encodeEventRow(row)).join('')
  expect(Buffer.from(lines.take()).toString('utf8')).toBe(text)
  const taken = filed.take()
  expect(isRowFile(taken) && taken.bytes).toBe(Buffer.byteLength(text))
  expect(linesOf(taken).toString('utf8')).toBe(text)
}

describe('lines are what the rows say', () => {
  test.each<[string, string | Buffer]>([
    ['plain', '{"message":"a"}'],
    ['backslashes', '{"message":"a\\\\b \\"c\\" \\n"}'],
    ['tabs between values', '{\t"message":\t"a \\t b"}'],
    ['line breaks between values', '{\n"message":\r\n"a"}'],
    ['signs of two, three and four bytes', '{"message":"ü 日 🦀"}'],
    ['what is scrubbed', '{"message":"token=abc","extra":{"password":"\\\\x"}}'],
    ['what is suspect and stays', '{"message":"a%20b%41","extra":{"a":"\\\\"}}'],
    ['invalid UTF-8', Buffer.from([...Buffer.from('{"message":"a'), 0xff, 0xc3, ...Buffer.from('"}')])],
    ['a lone surrogate', '{"message":"a\\ud800"}'],
    ['NUL', '{"message":"a\\u0000b"}'],
  ])('%s', (_, payload) => {
    same([envelope(payload)], 1)
    same([envelope(payload), envelope('{"message":"next"}')], 100_000)
  })

  test('recorded envelopes, with too little room and with enough', () => {
    const recorded = 'fixtures/envelopes'
    const names = readdirSync(recorded).filter((name) => name.endsWith('event.envelope'))
    const bodies = names
      .map((name) => readFileSync(`${recorded}/${name}`))
      .filter((body) => refineBody(body).events.length)
    expect(bodies.length).toBeGreaterThan(20)
    same(bodies, 10)
    same(bodies, 10_000_000)
  })
})

test('what is taken back is not there', () => {
  const lines = createLines(10)
  const { row, forms } = refined(envelope('{"message":"kept"}'))
  const other = refined(envelope('{"message":"gone"}'))
  lines.write(row, forms)
  const kept = lines.size
  lines.write(other.row, other.forms)
  lines.cut(kept)
  expect(lines.size).toBe(kept)
  expect(Buffer.from(lines.take()).toString()).toBe(encodeEventRow(row))
})

describe('lines in a file', () => {
  const line = (length: number, sign: string) => `${sign.repeat(length - 1)}\n`
  const piece = 256 * 1024

  test.each([
    ['in the buffer', [100], 50],
    ['in the file', [piece, piece, 100], piece / 2],
    ['at the end of a piece', [piece, piece], piece],
    ['to nothing', [piece, piece], 0],
  ])('what is taken back %s is not there', (_, lengths, kept) => {
    const lines = createLines(1, newFile())
    if (kept > 0) lines.append(line(kept, 'a'))
    for (const length of lengths) lines.append(line(length, 'b'))
    lines.cut(kept)
    expect(lines.size).toBe(kept)
    lines.append(line(30, 'c'))
    expect(linesOf(lines.take()).toString()).toBe((kept > 0 ? line(kept, 'a') : '') + line(30, 'c'))
  })

  test('a line that is longer than a piece', () => {
    const lines = createLines(1, newFile())
    const text = line(10, 'a') + line(3 * piece, 'b') + line(10, 'c')
    for (const part of text.match(/.*\n/g) ?? []) lines.append(part)
    expect(linesOf(lines.take()).toString()).toBe(text)
  })

  test('a full disk: the lines go on in memory, all of them, and the file is gone', () => {
    const file = newFile()
    let writes = 0
    const lines = createLines(1, { ...file, write: (part, at) => ++writes < 3 && file.write(part, at) })
    let text = ''
    for (const sign of 'abcdefghij') {
      const next = line(piece / 3, sign)
      lines.append(next)
      text += next
    }
    const rows = lines.take()
    expect(writes).toBe(3)
    expect([isRowFile(rows), linesOf(rows).toString() === text]).toEqual([false, true])
    expect(readdirSync(folder)).not.toContain(`rows-${job}-events`)
  })

  test('no file where the folder is gone, and a crashed job leaves none', () => {
    expect(createLineFiles(join(folder, 'gone/rows-'))(1, 'events')).toBeUndefined()
    createLines(1, newFile()).append(line(10, 'a'))
    expect(readdirSync(folder)).toContain(`rows-${job}-events`)
    dropLineFiles(join(folder, 'rows-'), job)
    expect(readdirSync(folder)).not.toContain(`rows-${job}-events`)
  })

  test('memory of an ended file is used again, and its rows stay', () => {
    const files = createLineFiles(join(folder, 'again-'))
    const texts = ['a', 'b', 'c'].map((sign, at) => {
      const lines = createLines(1, files(at, 'spans'))
      lines.append(line(1000, sign))
      return { rows: lines.take(), text: line(1000, sign) }
    })
    for (const { rows, text } of texts) expect(linesOf(rows).toString()).toBe(text)
  })
})
