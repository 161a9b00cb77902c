import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { encodeEventRow } from '../../store/events/encode.ts'
import { refineBody } from './fixture.cases.ts'
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

/** Compares the lines with the same rows encoded one by one from their text. */
function same(bodies: (string | Buffer)[], room: number): void {
  const lines = createLines(room)
  const rows = bodies.map(refined)
  for (const { row, forms } of rows) lines.write(row, forms)
  expect(Buffer.from(lines.take()).toString('utf8')).toBe(rows.map(({ row }) => encodeEventRow(row)).join(''))
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
    const folder = 'fixtures/envelopes'
    const names = readdirSync(folder).filter((name) => name.endsWith('event.envelope'))
    const bodies = names
      .map((name) => readFileSync(`${folder}/${name}`))
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
