import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fieldsOfDataset } from '../compile/datasets.ts'
import { searchOf } from '../compile/filter.ts'
import { messageKeyOf } from '../search.ts'
import { spanKeyOf, spanKeys } from './span-keys.ts'

const root = join(import.meta.dirname, '../../..')
const read = (name: string) => readFileSync(join(root, name), 'utf8')
const page = read('docs/traces-search.md')
const catalogues = ['en', 'de'].map(
  (locale) => JSON.parse(read(`src/web/messages/spans.${locale}.json`)) as { key: Record<string, string> },
)
const context = {
  dataset: fieldsOfDataset('spans'),
  nowMs: 1_795_000_000_000,
  projects: [
    { id: 1, slug: 'web' },
    { id: 2, slug: 'api' },
  ],
  latestReleases: async () => ['web@9'],
}
const filterOf = async (text: string) => (await searchOf(text, context)).filter

describe.each(spanKeys.map((key) => [key.name, key] as const))('%s', (name, key) => {
  test('its example is planned, and its other spellings mean the same', async () => {
    expect(key.example.startsWith(`${name}:`)).toBe(true)
    const filter = await filterOf(key.example)
    expect(filter).toBeDefined()
    for (const alias of key.aliases ?? []) expect(await filterOf(key.example.replace(name, alias))).toEqual(filter)
  })

  test('is in the docs and has a sentence in each language', () => {
    for (const { key: sentences } of catalogues) expect(sentences[messageKeyOf(key)]).toMatch(/\.$/)
    const sentence = catalogues[0]?.key[messageKeyOf(key)]
    expect(page).toContain(`| \`${name}\` | \`${key.example}\` | ${sentence} |`)
  })
})

test('no name or other spelling is in the table twice', () => {
  const names = spanKeys.flatMap((key) => [key.name, ...(key.aliases ?? [])])
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
})

test.each([
  ['measurements.lcp', 'duration', { of: 'measurement', key: 'lcp' }],
  ['measurements.cls', 'number', { of: 'measurement', key: 'cls' }],
  ['measurements.score.total', 'number', { of: 'score', vital: 'total' }],
  ['measurements.score.other', 'number', { of: 'measurement', key: 'score.other' }],
  ['measurements.score.constructor', 'number', { of: 'measurement', key: 'score.constructor' }],
])('%s is a %s', (name, type, value) => {
  expect(spanKeyOf(name)).toMatchObject({ type, source: { in: 'row', value } })
})

test.each(['http.route', 'cart.size', 'level', 'constructor', 'measurements.'])('%s is an attribute', (name) => {
  expect(spanKeyOf(name)).toBe(undefined)
})
