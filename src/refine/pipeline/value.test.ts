import { expect, test } from 'vitest'
import { jsonOpenedMax } from '../../wire/otlp-walk.ts'
import { parsePayload } from './value.ts'

const list = (entry: string, count: number) => Buffer.from(`[${Array(count).fill(entry).join(',')}]`)
/** The number of entries that were read; undefined: the text was refused. */
const entriesOf = (bytes: Uint8Array): number | undefined => {
  const parsed = parsePayload(bytes)
  return 'broken' in parsed ? undefined : (parsed.value as unknown[]).length
}

test.each([
  ['as many objects as are read', list('{}', jsonOpenedMax - 1), jsonOpenedMax - 1],
  ['one object more', list('{}', jsonOpenedMax), undefined],
  ['lists', list('[]', jsonOpenedMax), undefined],
  ['lists in lists without an end', Buffer.alloc(jsonOpenedMax + 1, '['), undefined],
  ['brackets in texts', list(`"\\"${'{['.repeat(100)}"`, jsonOpenedMax / 100), jsonOpenedMax / 100],
  ['many numbers', list('1', jsonOpenedMax + 1), jsonOpenedMax + 1],
])('a payload with %s', (_, bytes, entries) => {
  expect(entriesOf(bytes)).toBe(entries)
})
