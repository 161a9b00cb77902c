import { expect, test } from 'vitest'
import { encodeEventRow, eventColumns, repeating } from './encode.ts'
import { row } from './events.cases.ts'

const fields = (changes: Parameters<typeof row>[1]) => encodeEventRow(row(1, changes)).slice(0, -1).split('\t')
const at = (column: (typeof eventColumns)[number]) => eventColumns.indexOf(column)

test('a row is one line with a field for each column, whatever its texts hold', () => {
  const text = 'a\tb\nc\r\\d\0'
  const line = encodeEventRow(row(1, { message: text, payload: text, tags: { [text]: text }, digest: text }))
  expect(line.endsWith('\n')).toBe(true)
  expect(line.slice(0, -1)).not.toMatch(/[\n\r\0]/)
  expect(line.slice(0, -1).split('\t')).toHaveLength(eventColumns.length)
})

test.each<[string, Parameters<typeof row>[1], (typeof eventColumns)[number], string]>([
  ['microseconds', { timestampUs: 1_763_287_200_000_007 }, 'timestamp', '2025-11-16 10:00:00.000007'],
  ['a time before 1970', { timestampUs: -1 }, 'timestamp', '1970-01-01 00:00:00.000000'],
  ['a time far ahead', { receivedMs: 1e15 }, 'received', '2199-12-31 00:00:00.000'],
  ['no time', { receivedMs: Number.NaN }, 'received', '1970-01-01 00:00:00.000'],
  ['the largest hash', { groupHash: 'f'.repeat(16) }, 'group_hash', '18446744073709551615'],
  ['no user', { userHash: '' }, 'user_hash', '0'],
  ['hashes', { hashes: ['000000000000000a', '0000000000000100'] }, 'hashes', '[10,256]'],
  ['no hashes', { hashes: [] }, 'hashes', '[]'],
  [
    'an id in bytes',
    { eventId: '000102030405060708090a0b0c0d0eff' },
    'event_id',
    '\\x00\\x01\\x02\\x03\\x04\\x05\\x06\\x07\\x08\\x09\\x0a\\x0b\\x0c\\x0d\\x0e\\xff',
  ],
  ['no trace', { traceId: '' }, 'trace_id', '\\0'.repeat(16)],
  ['a trace that is none', { traceId: 'xyz' }, 'trace_id', '\\0'.repeat(16)],
  ['tags with quotes', { tags: { "it's": "a'b", '\\': '' } }, 'tags', `{'it\\'s':'a\\'b','\\\\':''}`],
  ['frames', { frames: ['function=a', 'in_app=true'] }, 'frames', "['function=a','in_app=true']"],
  ['frames with quotes', { frames: ["it's", '\\a\tb'] }, 'frames', "['it\\'s','\\\\a\\tb']"],
  ['no frames', { frames: [] }, 'frames', '[]'],
  ['no tags', { tags: {} }, 'tags', '{}'],
])('%s', (_name, changes, column, expected) => {
  expect(fields(changes)[at(column)]).toBe(expected)
})

test('a value is encoded once while it repeats, and anew when it changes', () => {
  const calls: string[] = []
  const encode = repeating((value: string) => {
    calls.push(value)
    return value.toUpperCase()
  })
  expect(['', 'a', 'a', 'b', 'a', '', ''].map(encode)).toEqual(['', 'A', 'A', 'B', 'A', '', ''])
  expect(calls).toEqual(['', 'a', 'b', 'a', ''])
})
