import { expect, test } from 'vitest'
import { previewOf } from './variable-text.ts'

const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`key${at}`, at]))

test.each<[string, object, string]>([
  ['members', { id: 8812, state: 'open', gone: null }, '{id: 8812, state: "open", gone: null}'],
  ['an array', [1, 'a'], '[1, "a"]'],
  ['nested', { a: { b: 1, c: 2 }, d: [1] }, '{a: {2}, d: [1]}'],
  ['a long text', { a: 'x'.repeat(30) }, `{a: "${'x'.repeat(24)}…"}`],
  ['many members', many, '{key0: 0, key1: 1, key2: 2, key3: 3, key4: 4, key5: 5, key6: 6, key7: 7, key8: 8, …}'],
  ['nothing', {}, '{}'],
])('%s', (_name, value, text) => expect(previewOf(value)).toBe(text))
