import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { MishapError } from '../../base/errors.ts'
import type { SearchContext } from './context.ts'
import type { KeySource, Operator } from './key.ts'
import { searchKeys } from './keys.ts'
import { findsNothing, operators, searchKeyOf } from './lookup.ts'
import { parseSearch } from './parse.ts'
import { planOf } from './plan.ts'
import { splitRelease } from './release-parts.ts'

// The table of keys is the single source: each entry is parsed, planned and completed as it states.

const context: SearchContext = {
  lists: 'issues',
  nowMs: 1_795_000_000_000,
  meUserId: 'me-id',
  userIdOf: async () => 'somebody',
  projectIdsOf: () => [1],
  projectIds: [1, 2],
  latestReleases: async () => ['web@9.0.0'],
  releases: async () => ['web@9.0.0+7'].map(splitRelease),
  releaseStages: async () => [{ projectId: 1, version: 'web@9.0.0', stage: 'adopted', sessions: 9 }],
}
const lists = ['issues', 'events'] as const
const planned = async (text: string, list: (typeof lists)[number]) =>
  (await planOf(parseSearch(text), { ...context, lists: list })).branches

/** Names that the condition of a source must contain in the plan's JSON. */
function namedBy(source: KeySource): string[] {
  switch (source.in) {
    case 'issue':
    case 'issueNumber':
      return ['"issue"', `"field":"${source.column}"`]
    case 'event':
    case 'eventId':
      return ['"event"', `"field":"${source.column}"`]
    case 'eventMessage':
      return source.match === 'words' ? ['"op":"text"'] : ['"field":"message"', '"match":"like"']
    case 'eventTime':
      return ['"fromMs"']
    case 'tags':
    case 'versions':
      return source.tags.map((tag) => `"key":"${tag}"`)
    case 'user':
      return [`"key":"user.${source.part}"`, `"value":"${source.part}:`]
    case 'frames':
      return [`"op":"frame","key":"${source.key}"`]
    case 'release':
      return ['"op":"releases"', 'web@9.0.0+7']
    case 'releaseStage':
      return ['"op":"releases"', '"web@9.0.0"', '"op":"projects","ids":[1]']
    case 'project':
      return ['"projectIds":[1]']
    case 'handled':
      return [`"key":"handled","match":"is","value":"${source.trueWhen}"`]
    case 'issuePeople':
      return source.relation === 'assignedOrSuggested' ? ['"op":"suggested"'] : [`"op":"${source.relation}"`]
    case 'issueUnhandled':
      return [`{"op":"unhandled","value":${source.value}}`]
    case 'issueShortId':
      return ['"field":"shortId"']
    case 'issueKind':
      return ['"field":"kind"']
    case 'issuePriority':
      return ['"op":"priority"']
    case 'issueState':
      return ['"op":"status"']
    case 'issueCategory':
    case 'issueType':
      return ['"field":"kind"']
    case 'route':
    case 'row':
    case 'presence':
    case 'nothing':
      return []
  }
}

describe.each(searchKeys.map((key) => [key.name, key] as const))('%s', (name, key) => {
  test.each(lists)('is planned as the table says where %s are listed', async (list) => {
    const source = (list === 'events' ? key.eventSource : undefined) ?? key.source
    const branches = await planned(key.example, list)
    for (const part of namedBy(source)) expect(JSON.stringify(branches)).toContain(part)
    expect(branches.length > 0).toBe(!findsNothing(key))
    expect(await planned(`!${key.example}`, list)).not.toEqual(branches)
  })

  test('its example uses it, and its other spellings mean the same', async () => {
    expect(key.example.startsWith(`${name}:`)).toBe(true)
    for (const alias of key.aliases ?? []) {
      expect(searchKeyOf(alias)).toBe(key)
      expect(await planned(key.example.replace(name, alias), 'issues')).toEqual(await planned(key.example, 'issues'))
    }
  })
})

test('no name or other spelling is in the table twice', () => {
  const names = searchKeys.flatMap((key) => [key.name, ...(key.aliases ?? [])])
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
})

describe('operators', () => {
  const values = {
    is: 'new',
    has: 'x',
    text: 'x',
    version: '1.2',
    number: '5',
    date: '2026-01-31',
    boolean: 'true',
    duration: '5s',
    choice: 'adopted',
  }
  const all: Operator[] = ['*', '[]', '""', '<', '<=', '=', '!=', '>=', '>']
  const written = (operator: Operator, value: string) =>
    operator === '[]' ? `[${value}, ${value}]` : operator === '""' ? '""' : `${operator}${value}`
  const read = (text: string): string => {
    try {
      return JSON.stringify(parseSearch(text))
    } catch (error) {
      if (error instanceof MishapError) return 'refused'
      throw error
    }
  }
  const byType = new Map(searchKeys.map((key) => [key.type, key]))
  test.each([...byType].flatMap(([type, key]) => all.map((operator) => [type, operator, key] as const)))(
    'a %s takes %s if the table says so',
    (type, operator, key) => {
      const taken = operators[type].includes(operator)
      const text = `${key.name}:${written(operator, values[type])}`
      // Operators that a type does not support are part of the text. `is:""` is valid and finds nothing.
      const isText = type === 'text' || type === 'version' || type === 'has' || text === 'is:""'
      if (taken || !isText) expect([text, read(text) === 'refused']).toEqual([text, !taken])
    },
  )
})

test('no other file has a list of keys', () => {
  const root = join(import.meta.dirname, '../../..')
  const names = searchKeys.flatMap((key) => [key.name, ...(key.aliases ?? [])]).filter((name) => name.includes('.'))
  const quoted = (source: string) =>
    names.filter((name) => source.includes(`'${name}'`) || source.includes(`"${name}"`))
  const files = globSync(['src/{query,api,web}/**/*.{ts,tsx}', 'scripts/*.ts'], {
    cwd: root,
    exclude: (path) => /node_modules|\.next/.test(path),
  })
  expect(files.length).toBeGreaterThan(300)
  const listing = files
    .filter((path) => !/\.(test|cases)\.tsx?$/.test(path))
    .filter((path) => quoted(readFileSync(join(root, path), 'utf8')).length >= 2)
  expect(listing.sort()).toEqual(['src/query/search/keys.ts', 'src/query/traces/span-keys.ts'])
})
