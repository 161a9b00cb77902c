import { describe, expect, test } from 'vitest'
import type { EventStore } from '../event-store.ts'
import { monday, row, tsv, wide } from '../events.cases.ts'
import type { Scope } from '../events.ts'
import { lengthCases } from './lengths.cases.ts'

const hour = 3_600_000

/** Counts of groups, from the rollups and from the rows. */
export function countCases(open: () => EventStore): void {
  lengthCases(open)

  describe('groups', () => {
    const a = '000000000000000a'
    const b = '000000000000000b'
    const c = '000000000000000c'

    test.each([
      ['rollup', 48 * hour, undefined],
      ['rows of a short scope', 5 * hour, undefined],
      ['rows with a filter', 48 * hour, { op: 'field', field: 'environment', match: 'is', value: 'dev' } as const],
    ])('volume of sets of groups from the %s', async (name, range, filter) => {
      const store = open()
      const projectId = { rollup: 7051, 'rows of a short scope': 7061 }[name] ?? 7071
      const at = (hours: number) => (monday - hours * hour) * 1000
      await store.insert(
        'events',
        tsv([
          row(47000, { projectId, groupHash: a, timestampUs: at(3), environment: 'dev' }),
          row(47001, { projectId, groupHash: a, timestampUs: at(3) + 1000 }),
          row(47002, { projectId, groupHash: b, timestampUs: at(2), environment: 'dev' }),
          row(47003, { projectId, groupHash: c, timestampUs: at(2) }),
          row(47004, { projectId, groupHash: b, timestampUs: at(99) }),
          row(47005, { projectId: projectId + 5, groupHash: a, timestampUs: at(2) }),
        ]),
        `volume:${name}`,
      )
      const scope: Scope = {
        projectIds: [projectId, projectId + 5],
        environments: [],
        fromMs: monday - range,
        toMs: monday,
      }
      const group = (groupHash: string) => ({ projectId, groupHash })
      // More than 100 groups are read another way.
      const many = Array.from({ length: 150 }, (_, n) => group((n + 0x1000).toString(16).padStart(16, '0')))
      for (const others of [[], many]) {
        expect(await store.volumeOf(scope, hour, [[group(a)], [group(b), ...others], []], filter)).toEqual([
          [{ startMs: monday - 3 * hour, events: filter ? 1 : 2 }],
          [{ startMs: monday - 2 * hour, events: 1 }],
          [],
        ])
      }
      expect(await store.volumeOf(scope, hour, [[], []], filter)).toEqual([[], []])
    })

    test('a search reads the whole range only if its newest part has too few groups', async () => {
      const store = open()
      const projectId = 7091
      const at = (hours: number) => (monday - hours * hour) * 1000
      await store.insert(
        'events',
        tsv([
          row(47100, { projectId, groupHash: a, timestampUs: at(3), environment: 'dev' }),
          row(47101, { projectId, groupHash: a, timestampUs: at(400), environment: 'dev' }),
          row(47102, { projectId, groupHash: b, timestampUs: at(300), environment: 'dev' }),
        ]),
        'groups:newest',
      )
      const scope: Scope = { projectIds: [projectId], environments: [], fromMs: monday - 480 * hour, toMs: monday }
      const filter = { op: 'field', field: 'environment', match: 'is', value: 'dev' } as const
      const ask = async (max: number, first: number, asked = scope) => {
        const { groups, isCut } = await store.newestGroups({ scope: asked, filter, first, max })
        return [isCut, groups.map(({ groupHash, events, lastMs }) => [groupHash, events, lastMs])]
      }
      const [lastA, lastB] = [at(3) / 1000, at(300) / 1000]
      expect(await ask(1, 1)).toEqual([true, [[a, 1, lastA]]])
      // The whole range has as few groups as asked for, so all of them are answered.
      const whole = [
        [a, 2, lastA],
        [b, 1, lastB],
      ]
      expect(await ask(2, 1)).toEqual([false, whole])
      // A short range has no part that is worth a search of its own.
      const short = { ...scope, fromMs: monday - 320 * hour }
      expect(await ask(1, 1, short)).toEqual([false, [[a, 1, lastA]]])
      expect(await ask(2, 1, { ...scope, projectIds: [] })).toEqual([false, []])
      await store.insert(
        'events',
        tsv([
          row(47103, { projectId, groupHash: c, timestampUs: at(2), environment: 'dev' }),
          row(47104, { projectId, groupHash: b, timestampUs: at(1), environment: 'dev' }),
        ]),
        'groups:newest again',
      )
      // The newest part has three groups: the first ones by their last event are answered.
      expect(await ask(3, 2)).toEqual([
        true,
        [
          [b, 1, at(1) / 1000],
          [c, 1, at(2) / 1000],
        ],
      ])
    })

    test.each([
      ['rollup', 48 * hour],
      ['rows', 5 * hour],
    ])('counts, orders and series from %s', async (name, range) => {
      const store = open()
      const projectId = name === 'rollup' ? 41 : 42
      const at = (hours: number) => (monday - hours * hour) * 1000
      await store.insert(
        'events',
        tsv([
          row(4000, { projectId, groupHash: a, timestampUs: at(3), userHash: '' }),
          row(4001, { projectId, groupHash: a, timestampUs: at(3) + 1000 }),
          row(4002, { projectId, groupHash: a, timestampUs: at(2), environment: 'dev', userHash: '00000000000000b2' }),
          row(4003, { projectId, groupHash: b, timestampUs: at(1) }),
          row(4004, { projectId, groupHash: b, timestampUs: at(99) }),
          row(4005, { projectId: projectId + 5, groupHash: a, timestampUs: at(1) }),
        ]),
        `groups:${name}`,
      )
      const scope: Scope = { projectIds: [projectId], environments: [], fromMs: monday - range, toMs: monday }
      const countA = { projectId, groupHash: a, events: 3, users: 2, lastMs: at(2) / 1000 }
      const countB = { projectId, groupHash: b, events: 1, users: 1, lastMs: at(1) / 1000 }
      const orders = {
        last: [countB, countA],
        events: [countA, countB],
        users: [countA, countB],
      } as const
      for (const [order, expected] of Object.entries(orders)) {
        const asked = { scope, order: order as keyof typeof orders, max: 5 }
        expect(await store.groups({ ...asked, users: true })).toEqual(expected)
        const isByUsers = order === 'users'
        expect((await store.groups(asked)).map((group) => 'users' in group)).toEqual([isByUsers, isByUsers])
      }
      expect(await store.groups({ scope, order: 'last', max: 1, users: true })).toEqual([countB])
      expect(await store.groups({ scope: { ...scope, environments: ['dev'] }, order: 'last', max: 5 })).toMatchObject([
        { groupHash: a, events: 1 },
      ])
      expect(
        await store.groups({
          scope,
          filter: { op: 'field', field: 'environment', match: 'is', value: 'production' },
          order: 'events',
          max: 1,
        }),
      ).toMatchObject([{ events: 2 }])
      expect(
        await store.countsOf(
          scope,
          [
            { projectId, groupHash: a },
            { projectId: projectId + 5, groupHash: b },
          ],
          { users: true },
        ),
      ).toEqual([{ ...countA, firstMs: at(3) / 1000 }])
      expect(await store.countsOf(scope, [{ projectId, groupHash: b }])).toEqual([
        { projectId, groupHash: b, events: 1, firstMs: at(1) / 1000, lastMs: countB.lastMs },
      ])
      expect(
        await Array.fromAsync([false, true], (users) =>
          store.eventsOf(scope, [{ projectId, groupHash: b }], { users }),
        ),
      ).toEqual([
        [{ projectId, groupHash: b, events: 1 }],
        [{ projectId, groupHash: b, events: 1, users: countB.users }],
      ])
      expect(await store.series(scope, hour, [{ projectId, groupHash: a }])).toEqual([
        { projectId, groupHash: a, startMs: monday - 3 * hour, events: 2 },
        { projectId, groupHash: a, startMs: monday - 2 * hour, events: 1 },
      ])
      const production = { op: 'field', field: 'environment', match: 'is', value: 'production' } as const
      expect(await store.filteredSeries(scope, hour, production)).toEqual([
        { startMs: monday - 3 * hour, events: 2 },
        { startMs: monday - hour, events: 1 },
      ])
      expect(await store.filteredSeries({ ...scope, projectIds: [] }, hour, production)).toEqual([])
      expect(await store.byRelease(scope, 10)).toEqual([{ release: 'web@1.0.0', events: 4 }])
      expect(await store.byRelease({ ...scope, projectIds: [] }, 10)).toEqual([])
      const pairs = [a, b].map((groupHash) => ({ projectId, groupHash }))
      expect(await store.togetherOf(scope, [pairs, []])).toEqual([
        { events: 4, users: 2 },
        { events: 0, users: 0 },
      ])
      expect(await store.togetherOf(scope, [])).toEqual([])
      expect(await store.togetherOf({ ...scope, projectIds: [] }, [pairs])).toEqual([{ events: 0, users: 0 }])
    })

    test.each([
      ['rollups and the rows before them', 20],
      ['rows', 3],
    ])('together, to the millisecond, of sets in two projects: %s', async (name, hours) => {
      const store = open()
      const [projectId, other] = name === 'rows' ? [241, 242] : [243, 244]
      const from = monday - hours * hour + 30 * 60_000
      const at = (ms: number) => ({ timestampUs: ms * 1000 })
      const user = (n: number) => ({ userHash: n.toString(16).padStart(16, '0') })
      await store.insert(
        'events',
        tsv([
          row(4200, { projectId, groupHash: a, ...at(from - 1), ...user(1) }),
          row(4201, { projectId, groupHash: a, ...at(from), ...user(2) }),
          row(4202, { projectId, groupHash: b, ...at(from + 60_000), ...user(2) }),
          row(4203, { projectId, groupHash: b, ...at(monday - hour), ...user(2) }),
          row(4204, { projectId, groupHash: b, ...at(monday - 1), ...user(3), environment: 'dev' }),
          row(4205, { projectId: other, groupHash: a, ...at(monday - 1), ...user(1) }),
          row(4206, { projectId: other, groupHash: b, ...at(monday - 1), userHash: '' }),
        ]),
        `together:${name}`,
      )
      const scope: Scope = { projectIds: [projectId, other], environments: [], fromMs: from, toMs: monday }
      const set = (project: number, hashes: string[]) => hashes.map((groupHash) => ({ projectId: project, groupHash }))
      const sets = [set(projectId, [a, b]), set(other, [a]), set(other, [b]), set(projectId, ['00000000000000ff'])]
      expect(await store.togetherOf(scope, sets)).toEqual([
        { events: 4, users: 2 },
        { events: 1, users: 1 },
        { events: 1, users: 0 },
        { events: 0, users: 0 },
      ])
      expect(await store.togetherOf({ ...scope, environments: ['production'] }, sets.slice(0, 1))).toEqual([
        { events: 3, users: 1 },
      ])
    })

    test.each([
      ['rollups', 20, hour],
      ['rows', 5, 30 * 60_000],
    ])('figures of sets in two projects: %s', async (name, hours, bucketMs) => {
      const store = open()
      const [projectId, other] = name === 'rows' ? [245, 246] : [247, 248]
      const at = (hoursAgo: number) => ({ timestampUs: (monday - hoursAgo * hour) * 1000 })
      const user = (n: number) => ({ userHash: n.toString(16).padStart(16, '0') })
      await store.insert(
        'events',
        tsv([
          row(4300, { projectId, groupHash: a, ...at(99), ...user(1) }),
          row(4301, { projectId, groupHash: a, ...at(4), ...user(2) }),
          row(4302, { projectId, groupHash: b, ...at(4), ...user(2) }),
          row(4303, { projectId, groupHash: b, ...at(1), ...user(3), environment: 'dev' }),
          row(4304, { projectId: other, groupHash: a, ...at(2), ...user(1) }),
          row(4305, { projectId: other, groupHash: b, ...at(50), userHash: '' }),
        ]),
        `figures:${name}`,
      )
      const scope: Scope = {
        projectIds: [projectId, other],
        environments: [],
        fromMs: monday - hours * hour,
        toMs: monday,
      }
      const set = (project: number, hashes: string[]) => hashes.map((groupHash) => ({ projectId: project, groupHash }))
      const nothing = { events: 0, users: 0, lifetimeUsers: 0, series: [] }
      const bucket = (hoursAgo: number, events: number) => ({ startMs: monday - hoursAgo * hour, events })
      // One user has events in both groups of the first set. Another had one in one of them long before.
      const first = { events: 3, users: 2, lifetimeUsers: 3, series: [bucket(4, 2), bucket(1, 1)] }
      const second = { events: 1, users: 1, lifetimeUsers: 1, series: [bucket(2, 1)] }
      const sets = [set(projectId, [a, b]), set(other, [a]), set(other, [b]), [], set(projectId, ['00000000000000ff'])]
      expect(await store.statsOf(scope, bucketMs, sets)).toEqual([first, second, nothing, nothing, nothing])
      expect(await store.statsOf({ ...scope, projectIds: [projectId] }, bucketMs, [[], ...sets.slice(0, 1)])).toEqual([
        nothing,
        first,
      ])
      expect(await store.statsOf({ ...scope, environments: ['dev'] }, bucketMs, sets.slice(0, 1))).toEqual([
        { events: 1, users: 1, lifetimeUsers: 3, series: [bucket(1, 1)] },
      ])
      expect(await store.statsOf(scope, bucketMs, sets, (at) => at === 1)).toEqual([
        { ...first, lifetimeUsers: 0 },
        second,
        nothing,
        nothing,
        nothing,
      ])
      expect(await store.statsOf(scope, bucketMs, [])).toEqual([])
      expect(await store.statsOf({ ...scope, projectIds: [] }, bucketMs, sets.slice(1, 2))).toEqual([nothing])
    })

    test('many hashes of many projects are asked for at once', async () => {
      const store = open()
      const hash = '000000000000000a'
      await store.insert(
        'events',
        tsv([row(4100, { projectId: 56, groupHash: hash }), row(4101, { projectId: 57, groupHash: hash })]),
        'groups:pairs',
      )
      const pairs = Array.from({ length: 20_000 }, (_, n) => ({
        projectId: 56 + (n % 2),
        groupHash: (n + 1).toString(16).padStart(16, '0'),
      }))
      expect(
        (await store.countsOf({ ...wide(56), projectIds: [56, 57] }, pairs)).map((count) => count.projectId),
      ).toEqual([57])
      // Of one project, the hashes alone are compared.
      const ofOne = pairs.map(({ groupHash }) => ({ projectId: 56, groupHash }))
      const both = { ...wide(56), projectIds: [56, 57] }
      expect(await store.eventsOf(both, ofOne)).toEqual([{ projectId: 56, groupHash: hash, events: 1 }])
    })
  })
}
