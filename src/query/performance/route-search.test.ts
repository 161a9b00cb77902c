import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { messageKeyOf } from '../search.ts'
import { asksForNew, routeFilterOf, routeKeyOf, routeKeys, routeMistakes } from './route-search.ts'

const root = join(import.meta.dirname, '../../..')
const read = (name: string) => readFileSync(join(root, name), 'utf8')
const page = read('docs/performance.md')
const catalogues = ['en', 'de'].map(
  (locale) => JSON.parse(read(`src/web/messages/performance.${locale}.json`)) as { key: Record<string, string> },
)
const context = {
  projects: [
    { id: 1, slug: 'web' },
    { id: 2, slug: 'api' },
  ],
  projectsBefore: [2],
}
const filterOf = (text: string) => routeFilterOf(text, context)

describe.each(routeKeys.map((key) => [key.name, key] as const))('%s', (name, key) => {
  test('its example is a condition, and its other spellings mean the same', () => {
    expect(key.example.startsWith(`${name}:`)).toBe(true)
    const filter = filterOf(key.example)
    expect(filter).toBeDefined()
    for (const alias of key.aliases ?? []) expect(filterOf(key.example.replace(name, alias))).toEqual(filter)
  })

  test('is in the docs and has a sentence in each language', () => {
    for (const { key: sentences } of catalogues) expect(sentences[messageKeyOf(key)]).toMatch(/\.$/)
    const sentence = catalogues[0]?.key[messageKeyOf(key)]
    expect(page).toContain(`| \`${key.example}\` | ${sentence} |`)
  })
})

test.each([
  ['orders', { op: 'match', column: 'route', match: 'like', text: '*orders*' }],
  ['requests:>1k', { op: 'compare', metric: 'requests', compare: '>', number: 1000 }],
  ['p95:>0.5s', { op: 'compare', metric: 'p95', compare: '>', number: 500 }],
  ['lost:>=2h', { op: 'compare', metric: 'lost', compare: '>=', number: 7_200_000 }],
  ['failure_rate:>0.01', { op: 'compare', metric: 'failureRate', compare: '>', number: 0.01 }],
  ['new:yes', { op: 'new', projectIds: [2] }],
  ['new:no', { op: 'not', of: { op: 'new', projectIds: [2] } }],
  ['!new:true', { op: 'not', of: { op: 'new', projectIds: [2] } }],
  ['route:/orders/*', { op: 'match', column: 'route', match: 'like', text: '/orders/*' }],
  ['op:pageload', { op: 'match', column: 'op', match: 'is', text: 'pageload' }],
  ['project:api', { op: 'projects', ids: [2] }],
  ['project:other', { op: 'projects', ids: [] }],
])('%s', (text, filter) => {
  expect(filterOf(text)).toEqual(filter)
})

test('no text is no condition; terms are joined', () => {
  expect(filterOf('  ')).toBe(undefined)
  expect(filterOf('cart p75:>1s OR new:yes')).toMatchObject({ op: 'or', of: [{ op: 'and' }, { op: 'new' }] })
  expect([asksForNew(undefined), asksForNew(filterOf('cart')), asksForNew(filterOf('cart !new:yes'))]).toEqual([
    false,
    false,
    true,
  ])
})

test.each([
  ['requets:>1000', [{ reason: 'key', position: 1, from: 0, to: 7, suggestion: 'requests' }]],
  ['cart release:1.0', [{ reason: 'key', position: 6, from: 5, to: 12, suggestion: undefined }]],
  ['é !durtion:>5s', [{ reason: 'key', position: 4, suggestion: undefined }]],
  ['p95:fast', [{ reason: 'duration', position: 5 }]],
  ['requests:many', [{ reason: 'number', position: 10 }]],
  ['requests:""', [{ reason: 'number', position: 1, expected: 'a comparison such as >1000' }]],
  ['new:maybe', [{ reason: 'boolean', position: 5 }]],
  ['has:requests', [{ reason: 'key', position: 1 }]],
  ['p95():>1s', [{ reason: 'key', position: 1 }]],
  ['tags[requests]:>5', [{ reason: 'key', position: 6 }]],
  ['__proto__:1', [{ reason: 'key', position: 1 }]],
  ['(cart', [{ reason: 'unclosed_group' }]],
  // All mistakes at once: keys and values, in an OR too.
  [
    'requets:>5 p95:fast',
    [
      { reason: 'key', position: 1 },
      { reason: 'duration', position: 16 },
    ],
  ],
  [
    'foo:1 bar:2',
    [
      { reason: 'key', position: 1 },
      { reason: 'key', position: 7 },
    ],
  ],
  [
    'foo:1 OR bar:2',
    [
      { reason: 'key', position: 1 },
      { reason: 'key', position: 10 },
    ],
  ],
])('%s is wrong', (text, mistakes) => {
  expect(routeMistakes(text)).toMatchObject(mistakes)
  expect(routeMistakes(text)).toHaveLength(mistakes.length)
})

test('the mistake of a key names the keys', () => {
  expect(routeMistakes('foo:1')[0]?.expected).toMatch(/^one of requests, throughput, samples, lost, p50/)
  expect(routeKeyOf('constructor')).toBe(undefined)
})
