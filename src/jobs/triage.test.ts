import { setImmediate } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { testClock } from '../base/clock.ts'
import { silent } from '../base/observe.ts'
import type { LiveChange } from '../contract/live.ts'
import type { EventStore } from '../store/events/event-store.ts'
import type { Scope, SeenEvent } from '../store/events/events.ts'
import { commit, effect, hash, nowMs, withProject } from '../store/meta/fixture.cases.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import { openSqliteMeta } from '../store/meta/sqlite.ts'
import { createTriage } from './triage.ts'

const dayMs = 86_400_000
type Answers = {
  events?: number
  users?: number
  series?: number[]
  away?: boolean
  event?: Partial<SeenEvent>
  /** The latest event of each group that has one. */
  latest?: Record<string, Partial<SeenEvent>>
  /** Runs while the events store is queried. */
  meanwhile?: (meta: MetaStore) => Promise<unknown>
}

/** Triage with a store in memory. The events store returns the answers of the test case. */
async function rig(answers: Answers = {}) {
  const clock = testClock(nowMs)
  const meta = await withProject(await openSqliteMeta(':memory:', { clock, readers: 0 }))
  const sent: { mails: string[]; told: LiveChange[] } = { mails: [], told: [] }
  const asked: Scope[] = []
  const warned: object[] = []
  const observe = { ...silent, warn: (what: object) => void warned.push(what) }
  const events: Pick<EventStore, 'togetherOf' | 'series' | 'byEventId' | 'newestPlaces' | 'eventsAt' | 'groups'> = {
    groups: async () => [],
    togetherOf: async (scope) => {
      asked.push(scope)
      await answers.meanwhile?.(meta)
      if (answers.away) throw new Error('away')
      return [{ events: answers.events ?? 0, users: answers.users ?? 0 }]
    },
    series: async (scope) =>
      (answers.series ?? []).map((point, at) => ({
        projectId: 1,
        groupHash: hash(1),
        events: point,
        startMs: scope.fromMs + at * 3_600_000,
      })),
    byEventId: async () => {
      if (answers.away) throw new Error('away')
      return answers.event ? [answers.event as SeenEvent] : []
    },
    newestPlaces: async (_project, hashes) =>
      hashes
        .filter((item) => answers.latest?.[item])
        .map((groupHash, at) => ({ groupHash, jpos: at + 1, timestampUs: at })),
    eventsAt: async (_project, places) =>
      places.map(({ groupHash }) => ({ ...answers.latest?.[groupHash], groupHash }) as SeenEvent),
  }
  const triage = createTriage({
    clock,
    meta,
    events,
    observe,
    url: 'http://mishap.test',
    seal: { seal: (text) => text },
    projectsFor: async () => [],
    alerts: {
      push: async () => undefined,
      kick: () => {},
      mail: async ({ to, subject }) => void sent.mails.push(`${to}: ${subject}`),
    },
    live: { publish: (_organization, change) => void sent.told.push(change) },
  })
  return { clock, meta, sent, triage, answers, asked, warned }
}
const stateOf = async (meta: MetaStore) => {
  const issue = await meta.issues.issueById(1)
  return [issue?.status, issue?.substatus]
}

test('a new issue is ongoing after seven days, and whoever looks at it is told', async () => {
  const { clock, meta, sent, triage } = await rig()
  await commit(meta, { events: [effect()] })
  clock.advance(7 * dayMs - 1)
  await triage.clock()
  expect(await stateOf(meta)).toEqual(['unresolved', 'new'])
  clock.advance(1)
  await triage.clock()
  expect(await stateOf(meta)).toEqual(['unresolved', 'ongoing'])
  expect(sent.told).toEqual([{ kind: 'issue', id: '1' }])
})

test('an escalation ends when its rate is back, not before', async () => {
  const { clock, meta, triage } = await rig()
  const limits = { ten: Array(24).fill(20), hour: Array(24).fill(30) }
  await commit(meta, { events: [effect()] })
  await meta.issues.putForecasts([{ issueId: 1, limits }], nowMs)
  await meta.issues.updateIssue(1, { substatus: 'escalating' }, null, nowMs)
  clock.advance(7 * dayMs)
  const busy = Array.from({ length: 50 }, () => effect({ receivedMs: clock.now() }))
  await commit(meta, { events: busy }, clock.now())
  await triage.clock()
  expect((await stateOf(meta))[1]).toBe('escalating')
  clock.advance(3_600_000)
  await triage.clock()
  expect((await stateOf(meta))[1]).toBe('escalating')
  clock.advance(2 * 3_600_000)
  await triage.clock()
  expect((await stateOf(meta))[1]).toBe('ongoing')
})

test.each<[string, object, Answers, string]>([
  ['ten users, nine came', { ignoreUserCount: 10 }, { users: 9 }, 'ignored'],
  ['ten users, ten came', { ignoreUserCount: 10 }, { users: 10 }, 'unresolved'],
  ['events in a window, too few', { ignoreCount: 5, ignoreWindow: 10 }, { events: 4 }, 'ignored'],
  ['events in a window', { ignoreCount: 5, ignoreWindow: 10 }, { events: 5 }, 'unresolved'],
])('archived until %s', async (_says, statusDetails, answers, status) => {
  const { clock, meta, triage } = await rig(answers)
  await commit(meta, { events: [effect()] })
  await meta.issues.updateIssue(1, { status: 'ignored', statusDetails }, 'ann', nowMs)
  await commit(meta, { events: [effect()] })
  clock.advance(1)
  await triage.clock()
  expect((await stateOf(meta))[0]).toBe(status)
  // Checked once: the next event schedules a check again.
  if (status === 'ignored') expect(await meta.issues.issuesDue(clock.now() + dayMs, 9)).toEqual([])
})

test('while the events store is away the issue waits, and turns later', async () => {
  const { meta, triage, answers } = await rig({ away: true, users: 3 })
  await commit(meta, { events: [effect()] })
  await meta.issues.updateIssue(1, { status: 'ignored', statusDetails: { ignoreUserCount: 3 } }, 'ann', nowMs)
  await commit(meta, { events: [effect()] })
  await expect(triage.clock()).rejects.toThrow('away')
  expect((await stateOf(meta))[0]).toBe('ignored')
  answers.away = false
  await triage.clock()
  expect(await stateOf(meta)).toEqual(['unresolved', 'escalating'])
})

test('an event that comes while the events store is asked is not forgotten', async () => {
  const { meta, triage, answers } = await rig({ users: 2 })
  await commit(meta, { events: [effect()] })
  await meta.issues.updateIssue(1, { status: 'ignored', statusDetails: { ignoreUserCount: 3 } }, 'ann', nowMs)
  await commit(meta, { events: [effect()] })
  answers.meanwhile = () => commit(meta, { events: [effect()] })
  await triage.clock()
  expect([(await stateOf(meta))[0], (await meta.issues.issuesDue(nowMs, 9)).length]).toEqual(['ignored', 1])
  Object.assign(answers, { users: 3, meanwhile: undefined })
  await triage.clock()
  expect(await stateOf(meta)).toEqual(['unresolved', 'escalating'])
})

test('what is asked since begins with the archive or its window, not with the hour', async () => {
  const { clock, meta, triage, asked } = await rig()
  await commit(meta, { events: [effect()] })
  const statusDetails = { ignoreUserCount: 3, ignoreCount: 9, ignoreWindow: 60 }
  await meta.issues.updateIssue(1, { status: 'ignored', statusDetails }, 'ann', nowMs)
  clock.advance(13 * 3_600_000)
  await commit(meta, { events: [effect()] }, clock.now())
  await triage.clock()
  expect(asked.map((item) => item.fromMs)).toEqual([clock.now() - 3_600_000, nowMs])
})

test('archived until a time: the time ends it', async () => {
  const { clock, meta, triage } = await rig()
  await commit(meta, { events: [effect()] })
  const ignoreUntil = new Date(nowMs + dayMs).toISOString()
  await meta.issues.updateIssue(1, { status: 'ignored', statusDetails: { ignoreUntil } }, 'ann', nowMs)
  clock.advance(dayMs - 1)
  await triage.clock()
  expect((await stateOf(meta))[0]).toBe('ignored')
  clock.advance(1)
  await triage.clock()
  expect(await stateOf(meta)).toEqual(['unresolved', 'ongoing'])
})

test('a forecast is made of the week’s hours, and held against what arrives', async () => {
  const { clock, meta, triage } = await rig({ series: Array(168).fill(60) })
  const old = Array.from({ length: 120 }, () =>
    effect({ timestampMs: nowMs - 8 * dayMs, receivedMs: nowMs - 8 * dayMs }),
  )
  await commit(meta, { events: old }, nowMs - 8 * dayMs)
  await meta.issues.updateIssue(1, { substatus: 'ongoing' }, null, nowMs)
  await commit(meta, { events: [effect()] })
  expect(await triage.forecasts()).toEqual({ forecasts: 1 })
  expect(await triage.forecasts()).toEqual({ forecasts: 0 })
  const events = (count: number) => Array.from({ length: count }, () => effect({ receivedMs: clock.now() }))
  await commit(meta, { events: events(25) }, clock.now())
  expect((await stateOf(meta))[1]).toBe('ongoing')
  await commit(meta, { events: events(75) }, clock.now())
  expect((await stateOf(meta))[1]).toBe('escalating')
})

test('1,200 issues change in steps, told as one; undo brings them back', async () => {
  const { clock, meta, sent, triage } = await rig()
  await commit(meta, { events: Array.from({ length: 1_200 }, (_, at) => effect({ hashes: [hash(at + 1)] })) })
  const items = Array.from({ length: 1_200 }, (_, at) => ({ issueId: at + 1, change: { status: 'resolved' as const } }))
  const turn = async () => {
    clock.advance(0)
    await setImmediate()
  }
  const made: number[] = []
  const asked = triage.bulks.request({ organizationId: 1, userId: 'ann', items }).then(({ id }) => made.push(id))
  while (made.length === 0) await turn()
  await asked
  const [id = 0] = made
  while ((await meta.issues.bulkById(id))?.endedMs === null) await turn()
  expect(await meta.issues.bulkById(id)).toMatchObject({ done: 1_200, endedMs: nowMs })
  const resolved = () => meta.issues.countIssues({ projectIds: [1], filter: { op: 'status', value: 'resolved' } })
  expect(await resolved()).toBe(1_200)
  // Some hundred changes are one message, even if the steps are small.
  expect(sent.told).toEqual([{ kind: 'missed' }, { kind: 'missed' }])
  await triage.bulks.undo(id)
  while ((await meta.issues.bulkById(id))?.endedMs === null) await turn()
  expect(await resolved()).toBe(0)
})

test('who is named gets a mail; without a mail server nothing is kept for later', async () => {
  const { meta, sent, triage } = await rig()
  await commit(meta, { events: [effect()] })
  const { id } = await meta.issues.addComment(1, 'ann', 'look', nowMs)
  await meta.issues.addNotices([{ userId: 'nobody', kind: 'mention' }], 1, id, nowMs)
  await triage.people()
  expect([sent.mails, await meta.issues.noticesDue(nowMs + dayMs, 9)]).toEqual([[], []])
})

test('mails go out while the events store is away and an owner is to be found', async () => {
  const { meta, sent, triage } = await rig({ away: true })
  const [ann, bob] = ['ann', 'bob'].map((id) => ({ id, name: id, email: `${id}@example.test` }))
  Object.assign(meta.people, { personById: async (id: string) => [ann, bob].find((item) => item?.id === id) })
  Object.assign(meta.organizations, {
    memberOf: async (organizationId: number, userId: string) => ({
      organizationId,
      userId,
      role: 'member',
      createdMs: 0,
    }),
  })
  await meta.projects.setOwnership(1, { text: 'path:* bob@example.test' }, { userId: 'ann' }, nowMs)
  await commit(meta, { events: [effect()] })
  const { id } = await meta.issues.addComment(1, 'ann', 'look', nowMs)
  await meta.issues.addNotices([{ userId: 'bob', kind: 'mention' }], 1, id, nowMs)
  await expect(triage.people()).rejects.toThrow('away')
  expect(sent.mails).toEqual([expect.stringContaining('bob@example.test: ann mentioned you')])
})

test('rules that take too long for an event assign nothing, and the log says from which line up', async () => {
  const paths = Array.from({ length: 60 }, (_, at) => ({ filename: `${at}${'a'.repeat(250)}`, in_app: true }))
  const payload = `${JSON.stringify({ exception: { values: [{ stacktrace: { frames: paths } }] } })}\n{}`
  const { meta, triage, warned } = await rig({ event: { payload, tags: {} } })
  const text = Array.from({ length: 400 }, () => `path:*${'a'.repeat(70)}b bob@example.test`).join('\n')
  await meta.projects.setOwnership(1, { text }, { userId: 'ann' }, nowMs)
  await commit(meta, { events: [effect()] })
  expect(await triage.people()).toMatchObject({ assigned: 0 })
  expect([warned, await meta.projects.ownersDue(9)]).toEqual([[{ project: 1, line: expect.any(Number) }], []])
})

/** An event with one application frame and a tag. */
const eventAt = (filename: string): Partial<SeenEvent> => ({
  payload: `${JSON.stringify({ exception: { values: [{ stacktrace: { frames: [{ filename, in_app: true }] } }] } })}\n{}`,
  tags: {},
})
/** Ann, Bob and Eve; Eve is not a member. */
function withPeople(meta: MetaStore): void {
  const people = ['ann', 'bob', 'eve'].map((id) => ({ id, name: id, email: `${id}@example.test` }))
  Object.assign(meta.people, {
    personByEmail: async (email: string) => people.find((person) => person.email === email),
  })
  Object.assign(meta.organizations, {
    memberOf: async (organizationId: number, userId: string) =>
      userId === 'eve' ? undefined : { organizationId, userId, role: 'member', createdMs: 0 },
  })
}
const suggestedOf = async (meta: MetaStore, id: number) =>
  (await meta.issues.suggestionsOf(id)).map((suggestion) => suggestion.userId)

test('rules suggest the owners of a new issue where they do not assign, and whoever looks at it is told', async () => {
  const { meta, triage, sent } = await rig({ event: eventAt('src/cart.js') })
  withPeople(meta)
  const text = 'path:src/* eve@example.test bob@example.test ann@example.test'
  await meta.projects.setOwnership(1, { text, autoAssign: false }, { userId: 'ann' }, nowMs)
  await commit(meta, { events: [effect()] })
  expect(await triage.people()).toMatchObject({ assigned: 0 })
  expect([(await meta.issues.issueById(1))?.assigneeUserId, await meta.issues.suggestionsOf(1)]).toEqual([
    null,
    [
      { userId: 'bob', rule: 'path:src/*' },
      { userId: 'ann', rule: 'path:src/*' },
    ],
  ])
  expect(sent.told).toEqual([{ kind: 'issue', id: '1' }])
})

test('rules that are changed suggest others for every issue, and assign nobody', async () => {
  const latest = Object.fromEntries(Array.from({ length: 45 }, (_, at) => [hash(at + 1), eventAt(`src/f${at + 1}.js`)]))
  const { meta, triage } = await rig({ latest })
  withPeople(meta)
  // More issues than one step handles. The last one has no event left.
  await commit(meta, { events: Array.from({ length: 46 }, (_, at) => effect({ hashes: [hash(at + 1)] })) })
  const write = (text: string) => meta.projects.setOwnership(1, { text }, { userId: 'ann' }, nowMs)
  await write('path:src/* ann@example.test\npath:src/f7.js bob@example.test')
  expect(await triage.people()).toMatchObject({ assigned: 0, checked: 46 })
  expect(await Array.fromAsync([1, 7, 45, 46], async (id) => suggestedOf(meta, id))).toEqual([
    ['ann'],
    ['bob'],
    ['ann'],
    [],
  ])
  expect((await meta.issues.issueById(1))?.assigneeUserId).toBeNull()
  expect(await triage.people()).toMatchObject({ checked: 0 })
  await write('')
  expect(await triage.people()).toMatchObject({ checked: 46 })
  expect(await Array.fromAsync([1, 7], async (id) => suggestedOf(meta, id))).toEqual([[], []])
})

test('a project’s rules are read once for all of its new issues', async () => {
  const { meta, triage } = await rig({ event: eventAt('src/cart.js') })
  withPeople(meta)
  await meta.projects.setOwnership(1, { text: 'path:src/* bob@example.test' }, { userId: 'ann' }, nowMs)
  await commit(meta, { events: Array.from({ length: 9 }, (_, at) => effect({ hashes: [hash(at + 1)] })) })
  const read = vi.spyOn(meta.projects, 'ownershipOf')
  expect(await triage.people()).toMatchObject({ assigned: 9 })
  expect(read).toHaveBeenCalledTimes(1)
})
