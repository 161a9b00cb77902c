import { beforeAll, describe, expect, test } from 'vitest'
import { testClock } from '../../base/clock.ts'
import type { EventStore } from '../../store/events/event-store.ts'
import type { EventFilter, GroupCount } from '../../store/events/events.ts'
import { commit, effect, hash, nowMs, withProject } from '../../store/meta/fixture.cases.ts'
import type { IssueFilter } from '../../store/meta/meta.ts'
import type { MetaStore } from '../../store/meta/meta-store.ts'
import { openSqliteMeta } from '../../store/meta/sqlite.ts'
import { inCommonOf } from './in-common.ts'
import type { QueryDeps } from './issue.ts'
import { type IssueListRequest, issuesMatching, listIssues } from './issues.ts'

// More issues than a list by events reads. The newest are not resolved; the ten oldest are.

const count = 10_040
const dayMs = 86_400_000
const twoGroups = 5000
const secondGroup = 20_000

/** Returns the hashes of a filter's groups; undefined: all. */
function hashesOf(filter: EventFilter | undefined): readonly string[] | undefined {
  if (filter?.op === 'groups') return filter.hashes
  return filter?.op === 'and' ? filter.of.map(hashesOf).find((item) => item !== undefined) : undefined
}

/** An events store with one event per group, by one user. Issues have two users in a range, three in their lifetime. */
function eventsOf(groups: readonly GroupCount[]) {
  const asked: (EventFilter | undefined)[] = []
  const firsts: number[] = []
  const merged: boolean[] = []
  const withUsers = (users: boolean, found: GroupCount[]) => {
    merged.push(users)
    return users ? found : found.map(({ users: _, ...rest }) => rest)
  }
  const newest = groups.toSorted((a, b) => b.lastMs - a.lastMs)
  const knownOf = (refs: readonly { groupHash: string }[], users: boolean) => {
    const known = new Set(refs.map((ref) => ref.groupHash))
    return withUsers(
      users,
      groups.filter((group) => known.has(group.groupHash)),
    )
  }
  const events: Pick<EventStore, 'groups' | 'newestGroups' | 'countsOf' | 'eventsOf' | 'statsOf'> = {
    newestGroups: async ({ filter, first, max }) => {
      asked.push(filter)
      firsts.push(first)
      const isCut = newest.length >= max
      return { groups: withUsers(newest.length < 100, newest.slice(0, isCut ? first : max)), isCut }
    },
    groups: async ({ filter, max, users = false }) => {
      asked.push(filter)
      const some = hashesOf(filter)
      const known = some && new Set(some)
      return withUsers(users, newest.filter((item) => !known || known.has(item.groupHash)).slice(0, max))
    },
    countsOf: async (_scope, refs, { users = false } = {}) =>
      knownOf(refs, users).map((group) => ({ ...group, firstMs: group.lastMs })),
    eventsOf: async (_scope, refs, { users = false } = {}) =>
      knownOf(refs, users).map(({ lastMs: _last, ...rest }) => rest),
    statsOf: async (_scope, _bucketMs, sets, withLife = () => true) =>
      sets.map((_one, at) => ({ events: 1, users: 2, lifetimeUsers: withLife(at) ? 3 : 0, series: [] })),
  }
  return { events, asked, merged, firsts }
}

const state: { meta?: MetaStore; groups: GroupCount[] } = { groups: [] }

beforeAll(async () => {
  const meta = await withProject(await openSqliteMeta(':memory:', { clock: testClock(nowMs), readers: 0 }))
  const atMs = (n: number) => nowMs - (count - n)
  for (let first = 0; first < count; first += 1000)
    await commit(meta, {
      events: Array.from({ length: Math.min(1000, count - first) }, (_, at) => {
        const n = first + at
        return effect({ hashes: [hash(n + 1)], timestampMs: atMs(n), receivedMs: atMs(n) })
      }),
    })
  // An issue of two groups, as after a merge. No list above has events of the second.
  await commit(meta, {
    events: [effect({ hashes: [hash(twoGroups), hash(secondGroup)], timestampMs: atMs(1), receivedMs: atMs(1) })],
  })
  for (let id = 1; id <= 10; id++) await meta.issues.updateIssue(id, { status: 'resolved' }, 'ann', nowMs)
  state.meta = meta
  state.groups = Array.from({ length: count }, (_, n) => ({
    projectId: 1,
    groupHash: hash(n + 1),
    events: 1,
    users: 1,
    lastMs: atMs(n),
  }))
})

function rig(groups = state.groups) {
  const { meta } = state
  if (!meta) throw new Error('nothing is open')
  const { events, asked, merged, firsts } = eventsOf(groups)
  const deps = {
    meta,
    events,
    clock: { ...testClock(nowMs), sleep: async () => undefined },
    config: { url: '' },
    auth: { personByEmail: () => undefined },
  }
  return { deps: deps as unknown as QueryDeps, asked, merged, firsts }
}

async function requestOf(change: Partial<IssueListRequest>): Promise<IssueListRequest> {
  const { meta } = state
  const organization = await meta?.organizations.organizationById(1)
  if (!meta || !organization) throw new Error('nothing is open')
  const range = { fromMs: nowMs - 14 * dayMs, toMs: nowMs + 1, period: '14d' as const }
  const view = { organization, projects: await meta.projects.projectsOf(1), environments: [], range }
  return { ...view, query: '', sort: 'date', limit: 25, ...change }
}

const resolved = Array.from({ length: 10 }, (_, at) => String(10 - at))

describe('a state that only issues behind the first 10,000 have', () => {
  test.each<[string, Partial<IssueListRequest>]>([
    ['by state alone', {}],
    ['with an environment', { environments: ['production'] }],
    ['by events', { sort: 'freq' }],
    ['by users', { sort: 'user' }],
    ['new ones first, with an environment', { sort: 'new', environments: ['production'] }],
    ['with a tag', { query: 'is:resolved fruit:apple' }],
    ['with a tag or without', { query: 'is:resolved fruit:apple OR is:resolved', environments: ['production'] }],
  ])('%s', async (_name, change) => {
    const page = await listIssues(rig().deps, await requestOf({ query: 'is:resolved', ...change }))
    expect(page.rows.map((row) => row.id)).toEqual(resolved)
    expect(page.hits).toBe(10)
  })

  test('is changed with all that match', async () => {
    const asked = await requestOf({ query: 'is:resolved', environments: ['production'] })
    expect((await issuesMatching(rig().deps, asked, 50_000)).map((item) => String(item.id))).toEqual(resolved)
  })

  test('the events store is asked of its groups alone', async () => {
    const { deps, asked } = rig()
    await listIssues(deps, await requestOf({ query: 'is:resolved fruit:apple' }))
    expect(hashesOf(asked[0])).toHaveLength(10)
  })
})

test.each([
  ['', 10_000],
  ['is:unresolved', 10_000],
])('a list that is cut begins as it should and tells no number: %j', async (query, groups) => {
  const page = await listIssues(rig().deps, await requestOf({ query, environments: ['production'] }))
  expect([page.rows[0]?.id, page.rows.length, page.next.results]).toEqual([String(count), 25, true])
  expect(page.hits).toBeUndefined()
  expect(
    await issuesMatching(rig().deps, await requestOf({ query, environments: ['production'] }), 50_000),
  ).toHaveLength(groups)
})

const idsFrom = (newest: number) => Array.from({ length: 25 }, (_, at) => String(newest - at))
/** The newest groups with another change. */
const withNewest = (many: number, change: Partial<GroupCount>) => (groups: readonly GroupCount[]) =>
  groups.map((group, at) => (at >= count - many ? { ...group, ...change } : group))

describe('a search that finds more than 10,000 groups', () => {
  type Change = (groups: readonly GroupCount[]) => GroupCount[]
  test.each<[string, Partial<IssueListRequest>, Change, number[], string[]]>([
    ['reads the groups of its page', {}, (all) => [...all], [208], idsFrom(count)],
    ['with words that most issues have', { query: 'function fruit:apple' }, (all) => [...all], [208], idsFrom(count)],
    ['reads those before a later page, too', { cursor: '0:50:0' }, (all) => [...all], [608], idsFrom(count - 50)],
    // Two projects can have the same hash: here no issue has these.
    ['reads all if few have an issue', {}, withNewest(190, { projectId: 2 }), [208, 10_000], idsFrom(count - 190)],
    ['reads all of the same time', {}, withNewest(300, { lastMs: nowMs }), [208, 10_000], idsFrom(count)],
    ['reads all for another order', { sort: 'new' }, (all) => [...all], [10_000], idsFrom(count)],
    [
      'reads all for several branches',
      { query: 'fruit:apple OR function' },
      (all) => [...all],
      [10_000],
      idsFrom(count),
    ],
  ])('%s', async (_name, change, changed, reads, ids) => {
    const { deps, firsts } = rig(changed(state.groups))
    const page = await listIssues(deps, await requestOf({ query: 'fruit:apple', ...change }))
    expect(firsts).toEqual(reads)
    expect(page.rows.map((row) => row.id)).toEqual(ids)
    expect([page.hits, page.next.results]).toEqual([undefined, true])
  })
})

describe('a list by a count that is cut after 10,000 groups', () => {
  // Three issues each have the same count. The resolved ones have the largest. Of one issue, one group is among the first
  // and the other among the last of the list, so only its sum says where it is.
  const ranked = (groups: readonly GroupCount[]): GroupCount[] => {
    const all = groups.map((group, at) => {
      const events = at === twoGroups - 1 ? 70 : Math.floor((count - at) / 3) + 50
      return { ...group, events, users: events, lastMs: events }
    })
    const second = { projectId: 1, groupHash: hash(secondGroup), events: 3385, users: 3385, lastMs: 3385 }
    return [...all.slice(0, 20), second, ...all.slice(20)]
  }
  const idOf = new Map([
    ...Array.from({ length: count }, (_, n) => [hash(n + 1), n + 1] as const),
    [hash(secondGroup), twoGroups],
  ])
  /** The whole list, by conditions on all issues of the first 10,000 groups. */
  const whole = (query: string): string[] => {
    const sums = new Map<number, number>()
    for (const group of ranked(state.groups)
      .toSorted((a, b) => b.lastMs - a.lastMs)
      .slice(0, 10_000)) {
      const id = idOf.get(group.groupHash) ?? 0
      if (query === '' || id > 10) sums.set(id, (sums.get(id) ?? 0) + group.events)
    }
    return [...sums].sort(([a, x], [b, y]) => y - x || b - a).map(([id]) => String(id))
  }

  // Conditions are checked for 500 issues at once. Ten of the first do not meet them.
  test.each(
    [0, 1, 464, 465, 466, 474, 475, 476, 990, 9_960, 9_990].flatMap((offset) =>
      (['freq', 'user'] as const).flatMap((sort) =>
        ['', 'is:unresolved'].map((query) => [offset, sort, query] as const),
      ),
    ),
  )('from row %i on, by %s, of %j, it is the same as with all conditions checked', async (offset, sort, query) => {
    const page = await listIssues(
      rig(ranked(state.groups)).deps,
      await requestOf({ query, sort, cursor: `0:${offset}:0` }),
    )
    const all = whole(query)
    expect(page.rows.map((row) => row.id)).toEqual(all.slice(offset, offset + 25))
    expect([page.hits, page.next.results]).toEqual([undefined, all.length > offset + 25])
  })

  test('the conditions are checked for the first issues only', async () => {
    const { deps } = rig(ranked(state.groups))
    const checked: number[] = []
    const issues = {
      ...deps.meta.issues,
      issueStarts: (ids: readonly number[], filter?: IssueFilter) => {
        checked.push(ids.length)
        return deps.meta.issues.issueStarts(ids, filter)
      },
    }
    const watched = { ...deps, meta: { ...deps.meta, issues } }
    const pageAt = async (offset: number) => {
      checked.length = 0
      await listIssues(watched, await requestOf({ query: 'is:unresolved', sort: 'freq', cursor: `0:${offset}:0` }))
      return checked.slice()
    }
    // Of the first 500 issues 490 are unresolved, and a page reads one row more than it shows.
    expect([await pageAt(464), await pageAt(465)]).toEqual([[500], [500, 500]])
  })
})

test.each([
  ['level:error', 25, count],
  ['title:none', 25, 0],
  ['is:resolved', 10, 10],
  ['is:resolved', 9, 10],
])('by state every hit is counted: %s', async (query, limit, hits) => {
  expect((await listIssues(rig().deps, await requestOf({ query, limit }))).hits).toBe(hits)
})

test('users over the life are not those of the events that the query asks for', async () => {
  const [row] = (await listIssues(rig().deps, await requestOf({ query: 'fruit:apple', limit: 1 }))).rows
  expect(row).toMatchObject({ userCount: 1, lifetime: { userCount: 2 } })
})

test('an issue that a branch of states found has its users, though another branch counts those of some events', async () => {
  const query = 'is:resolved OR is:resolved fruit:apple'
  const [row] = (await listIssues(rig().deps, await requestOf({ query, limit: 1 }))).rows
  expect(row).toMatchObject({ id: '10', userCount: 2, lifetime: { userCount: 2 } })
})

const past = { fromMs: nowMs - 14 * dayMs, toMs: nowMs - 5000, period: 'range' }

// If all events of an issue are within the range and in all environments, the range gives its lifetime users.
test.each<[string, Partial<IssueListRequest>, boolean[], number, number]>([
  ['by events', { sort: 'freq' }, [false], 2, 2],
  ['by users', { sort: 'user' }, [true], 2, 2],
  ['in a range that it went on after', { sort: 'freq', range: past }, [false], 2, 3],
  ['of an environment', { environments: ['production'] }, [false], 2, 3],
  ['of some events', { sort: 'freq', query: 'fruit:apple' }, [false, true], 1, 2],
  ['of some events of few issues', { query: 'is:resolved fruit:apple' }, [true], 1, 2],
  ['of some days', { sort: 'freq', query: 'event.timestamp:>2020-01-01' }, [false, true], 1, 2],
  ['by users, of some events', { sort: 'user', query: 'fruit:apple' }, [true], 1, 2],
])(
  'users of all issues are merged only where the list is made of them: %s',
  async (_name, change, merges, users, life) => {
    const { deps, merged } = rig()
    const [row] = (await listIssues(deps, await requestOf({ limit: 1, ...change }))).rows
    expect([merged, row?.userCount, row?.lifetime.userCount]).toEqual([merges, users, life])
  },
)

test('users of few groups are counted with them', async () => {
  const { deps, merged } = rig(state.groups.slice(0, 99))
  const page = await listIssues(deps, await requestOf({ query: 'fruit:apple', limit: 1 }))
  expect([merged, page.hits, page.rows[0]?.userCount]).toEqual([[true], 99, 1])
})

test('a value that all rows have is all of an issue, however many of its events were downsampled', async () => {
  const { deps } = rig()
  const issue = await deps.meta.issues.issueById(1)
  if (!issue) throw new Error('no issue')
  const many = { projectId: 1, users: 0, lastMs: nowMs, firstMs: nowMs }
  const level = { key: 'level', total: 2_000, unique: 1, values: [{ value: 'error', events: 2_000 }] }
  const events: Partial<EventStore> = {
    tagsOf: async () => [level, { key: 'plan', total: 2_000, unique: 1, values: [{ value: 'gold', events: 2_000 }] }],
    countsOf: async () => [{ ...many, groupHash: hash(1), events: 100_000 }],
    groups: async () => [{ ...many, groupHash: hash(2), events: 1_000 }],
    tagPairs: async () => ({ events: 1_000, counts: new Map([['level=error', 1_000]]) }),
  }
  const scope = { projectIds: [1], environments: [], fromMs: nowMs - dayMs, toMs: nowMs }
  const found = await inCommonOf({ ...deps, events: events as EventStore }, issue, scope)
  expect(found.own).toBe(2_000)
  expect(found.values).toMatchObject([{ key: 'plan', value: 'gold', own: 2_000, ownShare: 1 }])
})
