import { expect, test } from 'vitest'
import { testClock } from '../../base/clock.ts'
import { nowMs, withProject } from '../../store/meta/fixture.cases.ts'
import { openSqliteMeta } from '../../store/meta/sqlite.ts'
import { toRestSchedules } from './incidents.ts'

const hourMs = 3_600_000
/** Hours from now, in the order of addition. */
type Added = [userId: string, from: number, to: number][]

test.each<[string, Added, string, string[]]>([
  ['one', [['bob', -2, 2]], 'bob', ['bob']],
  [
    'the later start is added last',
    [
      ['bob', -2, 2],
      ['cyd', -1, 1],
    ],
    'cyd',
    ['bob', 'cyd'],
  ],
  [
    'the later start is added first',
    [
      ['cyd', -1, 1],
      ['bob', -2, 2],
    ],
    'bob',
    ['bob', 'cyd'],
  ],
  [
    'one start',
    [
      ['cyd', -1, 1],
      ['bob', -1, 2],
    ],
    'bob',
    ['cyd', 'bob'],
  ],
  [
    'only what holds now counts',
    [
      ['bob', -1, 1],
      ['cyd', 1, 2],
    ],
    'bob',
    ['bob', 'cyd'],
  ],
])(
  'of overrides the one that was added last counts, and they are shown by time: %s',
  async (_says, added, who, shown) => {
    const meta = await withProject(await openSqliteMeta(':memory:', { clock: testClock(nowMs), readers: 0 }))
    const people = async (ids: readonly string[]) => ids.map((id) => ({ id, name: id, email: `${id}@x.test` }))
    Object.assign(meta.people, { people })
    const rota = { timeZone: 'UTC', handOverDay: 1, handOverTime: '09:00', startDate: '2020-01-06', members: ['ann'] }
    const schedule = await meta.incidents.createSchedule({ organizationId: 1, name: 'Nights', ...rota })
    for (const [userId, from, to] of added) {
      const times = { fromMs: nowMs + from * hourMs, toMs: nowMs + to * hourMs }
      await meta.incidents.createOverride({ scheduleId: schedule.id, userId, ...times, createdBy: null })
    }
    const [found] = await toRestSchedules({ meta }, [schedule], nowMs)
    expect(found?.onCall?.person?.id).toBe(who)
    expect(found?.shifts[0]?.person?.id).toBe(who)
    expect(found?.overrides.map(({ person }) => person?.id)).toEqual(shown)
  },
)
