import { describe, expect, test } from 'vitest'
import { MishapError } from '../../base/errors.ts'
import type { EventStore } from '../../store/events/event-store.ts'
import { type CountedPart, countsOfIssue, countsOfStep } from './issue-counts.ts'

const minuteMs = 60_000
const at = { endMs: 1_000 * minuteMs, stepMs: minuteMs }
const part: CountedPart = { projectIds: [1, 2], environments: ['prod'], event: undefined }
const events = (windowMinutes: number) => ({ type: 'events' as const, count: 1, windowMinutes })
const users = (windowMinutes: number) => ({ type: 'users' as const, count: 1, windowMinutes })
const rate = (before: 'hour' | 'day' | 'week') => ({ type: 'rate' as const, percent: 50, windowMinutes: 10, before })

type Asked = Parameters<EventStore['groupRows']>[0]
/** An event as the questions see it: its group, its age in minutes and its person. */
type Event = { project?: number; group: string; ago: number; user?: string }

/** A store of events that answers the questions, and issues by their groups: `a` and `b` are 1, `c` is 2. */
function rig(all: Event[], fail?: Error) {
  const asked: Asked[] = []
  const groups: Record<string, number> = { '1:a': 1, '1:b': 1, '1:c': 2, '2:a': 3 }
  const hashesOf = async (ids: number[]) =>
    new Map(
      ids.map((id) => [id, Object.entries(groups).flatMap(([key, issueId]) => (issueId === id ? [key.slice(2)] : []))]),
    )
  const groupRows = async (question: Asked) => {
    asked.push(question)
    if (fail) throw fail
    const { fromMs, toMs } = question.scope
    const rows = new Map<string, { project: number; group: string; users: Set<string>; count: number }>()
    for (const { project = 1, group, ago, user = '' } of all) {
      const ms = at.endMs - ago * minuteMs
      if (ms < fromMs || ms >= toMs || !question.scope.projectIds.includes(project)) continue
      const key = `${project}:${group}`
      const row = rows.get(key) ?? { project, group, users: new Set(), count: 0 }
      row.users.add(user)
      row.count += 1
      rows.set(key, row)
    }
    const isPeople = question.aggregates[0]?.fn === 'unique'
    return [...rows.values()].map((row) => [row.project, row.group, isPeople ? row.users.size : row.count])
  }
  const issueIdsOf = async (touched: { projectId: number; groupHash: string }[]) =>
    new Map(
      touched.flatMap(({ projectId, groupHash }) => {
        const id = groups[`${projectId}:${groupHash}`]
        return id === undefined ? [] : [[`${projectId}:${groupHash}`, id] as const]
      }),
    )
  // The counts ask nothing else of the stores.
  const deps = { events: { groupRows }, meta: { issues: { hashesOf, issueIdsOf } } } as never
  return { deps, asked }
}

describe('the issues of a step', () => {
  test('are those with events in it; groups without an issue are left out', async () => {
    const { deps } = rig([
      { group: 'a', ago: 0.5 },
      { group: 'c', ago: 1.5 },
      { group: 'unknown', ago: 0.5 },
      { project: 2, group: 'a', ago: 0.5 },
    ])
    expect((await countsOfStep(deps, part, at)).issueIds.sort()).toEqual([1, 3])
  })

  test('nothing happened: nobody is counted', async () => {
    const { deps } = rig([{ group: 'a', ago: 5 }])
    const counts = await countsOfStep(deps, part, at)
    expect(counts.issueIds).toEqual([])
    expect(await counts.counted(events(10))).toEqual(new Map())
  })

  test('the same hash of two projects is two issues', async () => {
    const { deps } = rig([
      { group: 'a', ago: 0.5 },
      { project: 2, group: 'a', ago: 0.5 },
      { project: 2, group: 'a', ago: 0.2 },
    ])
    const counts = await countsOfStep(deps, part, at)
    expect(await counts.counted(events(1))).toEqual(
      new Map([
        [1, { now: 1, before: 0 }],
        [3, { now: 2, before: 0 }],
      ]),
    )
  })
})

describe('the count of a window', () => {
  test.each<[string, Event[], number, { now: number; before: number }]>([
    ['holds its first moment', [{ group: 'a', ago: 10 }], 10, { now: 1, before: 1 }],
    ['does not hold the moment before', [{ group: 'a', ago: 10.01 }], 10, { now: 0, before: 1 }],
    ['does not hold its end', [{ group: 'a', ago: 0 }], 10, { now: 0, before: 0 }],
    ['one step earlier', [1.5, 0.5, 0.4].map((ago) => ({ group: 'a', ago })), 10, { now: 3, before: 1 }],
    [
      'sums the groups of an issue',
      [
        { group: 'a', ago: 2 },
        { group: 'b', ago: 2 },
        { group: 'c', ago: 2 },
      ],
      10,
      { now: 2, before: 2 },
    ],
  ])('%s', async (_says, all, minutes, expected) => {
    // An event of the step itself, so that the issue is looked at. It is in every window.
    const { deps } = rig([...all, { group: 'b', ago: 0.1 }])
    const found = (await (await countsOfStep(deps, part, at)).counted(events(minutes))).get(1)
    expect(found).toEqual({ now: expected.now + 1, before: expected.before })
  })

  test('people are counted once a group, and an issue has at least those of its largest group', async () => {
    const { deps } = rig([
      ...['x', 'y', 'x'].map((user) => ({ group: 'a', ago: 0.5, user })),
      ...['x', 'y', 'z', 'z'].map((user) => ({ group: 'b', ago: 0.5, user })),
    ])
    const counts = await countsOfStep(deps, part, at)
    expect(await counts.counted(users(10))).toEqual(new Map([[1, { now: 3, before: 0 }]]))
    expect(await counts.counted(events(10))).toEqual(new Map([[1, { now: 7, before: 0 }]]))
  })

  test.each([
    ['hour', 60],
    ['day', 1440],
    ['week', 10_080],
  ] as const)('a rate compares with the window one %s before', async (before, minutes) => {
    const { deps, asked } = rig([
      { group: 'a', ago: 0.5 },
      { group: 'a', ago: minutes + 9 },
      { group: 'a', ago: minutes + 0.5 },
      { group: 'a', ago: minutes + 11 },
    ])
    const counts = await countsOfStep(deps, part, at)
    expect((await counts.earlier(rate(before))).get(1)).toEqual({ now: 2, before: 2 })
    const ranges = asked.slice(1).map(({ scope }) => [at.endMs - scope.fromMs, at.endMs - scope.toMs])
    expect(ranges).toEqual([
      [(minutes + 10) * minuteMs, minutes * minuteMs],
      [(minutes + 11) * minuteMs, (minutes + 1) * minuteMs],
    ])
  })
})

describe('the questions', () => {
  test('each window is asked once, whatever the number of rules', async () => {
    const { deps, asked } = rig([{ group: 'a', ago: 0.5 }])
    const counts = await countsOfStep(deps, part, at)
    await Promise.all([events(10), events(10), { ...events(10), count: 50 }].map((trigger) => counts.counted(trigger)))
    expect(asked).toHaveLength(3)
    await counts.counted(users(10))
    expect(asked).toHaveLength(5)
    // A longer window is another question.
    await counts.counted(events(20))
    expect(asked).toHaveLength(7)
  })

  test('are by time of receipt, within the projects, environments and limits of the part', async () => {
    const filter = { op: 'and' as const, of: [] }
    const { deps, asked } = rig([{ group: 'a', ago: 0.5 }])
    await (await countsOfStep(deps, { ...part, event: filter }, at)).counted(events(10))
    for (const question of asked)
      expect(question).toMatchObject({
        from: 'events',
        by: 'received',
        withCut: false,
        scope: { projectIds: [1, 2], environments: ['prod'] },
        max: 2000,
        limits: { seconds: 20 },
      })
    const hashes = asked.map((question) => JSON.stringify(question.filter))
    expect(hashes[0]).toBe('{"op":"and","of":[{"op":"and","of":[]}]}')
    expect(hashes[1]).toContain('{"op":"groups","hashes":["a","b"]}')
  })

  test.each(['QUERY_TIMEOUT', 'STORE_UNAVAILABLE'] as const)('%s is the caller’s to handle', async (code) => {
    const error = new MishapError(code)
    const { deps } = rig([], error)
    await expect(countsOfStep(deps, part, at)).rejects.toBe(error)
    const counts = await countsOfIssue(deps, part, { id: 1, projectId: 1 }, at)
    await expect(counts.counted(events(10))).rejects.toBe(error)
  })
})

test('one issue is counted without a look at the others', async () => {
  const { deps, asked } = rig([
    { group: 'a', ago: 3 },
    { group: 'c', ago: 0.5 },
  ])
  const counts = await countsOfIssue(deps, part, { id: 1, projectId: 1 }, at)
  expect(counts.issueIds).toEqual([1])
  expect(asked).toEqual([])
  expect(await counts.counted(events(10))).toEqual(new Map([[1, { now: 1, before: 1 }]]))
})
