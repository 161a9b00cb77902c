import { describe, expect, test } from 'vitest'
import { completionsOf } from './completion.ts'
import type { QueryDeps, View } from './issues/issue.ts'
import { searchKeys } from './search/keys.ts'

// Completions of each key in the table, from stores that record their calls.

type Call = [question: string, name: string]

/** Stores that return two values for each request, with the recorded calls. */
function stores(values: Record<string, [value: string, events: number][]> = {}) {
  const calls: Call[] = []
  const answer = (question: string, name: string) => {
    calls.push([question, name])
    return Promise.resolve((values[name] ?? []).map(([value, events]) => ({ value, events })))
  }
  const deps = {
    events: {
      columnValues: (_scope: unknown, column: string) => answer('column', column),
      frameValues: (_scope: unknown, key: string) => answer('frame', key),
      tagValues: (_scope: unknown, tag: string) => answer('tag', tag),
    },
    meta: {
      organizations: { membersOf: () => [{ userId: 'a' }] },
      people: { people: (ids: string[]) => ids.map((id) => ({ email: `${id}@example.test` })) },
      releases: { releaseTimes: () => [{ version: 'web@1.2.3+7', createdMs: 1 }] },
    },
  } as unknown as QueryDeps
  return { deps, calls }
}

const view = {
  organization: { id: 1 },
  projects: [{ id: 1, slug: 'web' }],
  environments: [],
  range: { fromMs: 0, toMs: 1 },
} as unknown as View

async function complete(key: string, text = '', values?: Parameters<typeof stores>[0]) {
  const { deps, calls } = stores(values)
  const request = { key, text, max: 25, mayPeople: true, signal: new AbortController().signal }
  const found = await completionsOf(deps, view, request)
  return { calls, found: found.map(({ value, events }) => (events === null ? value : `${value} ${events}`)) }
}

describe('what the stores are asked', () => {
  const tag = (name: string): Call => ['tag', name]
  const user = (part: string): Call[] => [tag(`user.${part}`), tag('user')]
  const asked: Record<string, Call[]> = {
    level: [tag('level')],
    platform: [['column', 'platform']],
    logger: [tag('logger')],
    'error.type': [['column', 'type']],
    'stack.function': [['frame', 'function']],
    'stack.filename': [['frame', 'filename']],
    'stack.abs_path': [['frame', 'abs_path']],
    'stack.module': [['frame', 'module']],
    'stack.package': [['frame', 'package']],
    release: [['column', 'release']],
    dist: [tag('dist')],
    environment: [tag('environment')],
    transaction: [['column', 'transaction']],
    url: [tag('url')],
    user: [tag('user')],
    'user.id': user('id'),
    'user.email': user('email'),
    'user.username': user('username'),
    'user.ip': user('ip'),
    'error.mechanism': [tag('mechanism')],
    'browser.version': [tag('browser')],
    'os.version': [tag('os'), tag('client_os')],
  }
  test.each(searchKeys.map((key) => [key.name, key] as const))('for %s', async (name, key) => {
    const { calls, found } = await complete(name)
    if (Object.hasOwn(asked, name)) expect(calls).toEqual(asked[name])
    else if (key.values !== 'stored') expect(calls).toEqual([])
    expect(found).toEqual(expect.arrayContaining([...(key.words ?? [])]))
    expect(found.length > 0 || calls.length > 0).toBe(key.words !== undefined || key.values !== undefined)
  })

  test.each(['fruit', 'tags[fruit]'])('for a tag, %s', async (name) => {
    expect((await complete(name)).calls).toEqual([tag('fruit')])
  })
})

test.each<[string, string, string[]]>([
  ['is', 'resol', ['unresolved', 'resolved']],
  ['error.handled', '', ['true', 'false']],
  ['issue.priority', 'h', ['high']],
  ['release.stage', '', ['low', 'adopted', 'replaced']],
  ['assigned', '', ['me', 'none', 'any', 'a@example.test']],
  ['bookmarks', '', ['me', 'a@example.test']],
  ['firstRelease', '', ['latest', 'web@1.2.3+7']],
  ['project', '', ['web']],
  ['release.package', '', ['web']],
  ['release.version', '', ['1.2.3']],
  ['release.build', '', ['7']],
  ['release', '', ['latest', 'web@1 3']],
  ['timesSeen', '', []],
  ['title', '', []],
  ['detector', '', []],
  // The systems of visitors and of servers share one key, so their counts are added.
  ['os.version', '', ['11 5', '10 4']],
  ['os.version', '0', ['10 4']],
  ['user.id', '', ['42 3', '7 1']],
  ['user.email', 'ADA', ['ada@example.test 6']],
])('%s with "%s"', async (key, text, found) => {
  const values: Parameters<typeof stores>[0] = {
    release: [['web@1', 3]],
    os: [
      ['Windows 11', 3],
      ['Windows', 9],
    ],
    client_os: [
      ['Windows 10', 4],
      ['macOS 11', 2],
    ],
    user: [
      ['id:42', 3],
      ['email:ada@example.test', 2],
      ['id:7', 1],
    ],
    'user.email': [['ada@example.test', 4]],
  }
  expect((await complete(key, text, values)).found).toEqual(found)
})
