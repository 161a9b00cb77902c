import { beforeAll, describe, expect, test } from 'vitest'
import type { RestBackTest } from '../contract/alerts/alerts-back-test.ts'
import { appForFile } from './app.cases.ts'
import { hex } from './seed.cases.ts'

const { made, call, personAs } = appForFile()
const nowS = Math.floor(Date.now() / 1000)

const failure = (n: number, type: string) => ({
  event_id: hex(7000 + n),
  platform: 'node',
  timestamp: nowS - 5,
  environment: n % 2 === 0 ? 'production' : 'staging',
  user: { id: `u${n % 5}` },
  exception: { values: [{ type, value: 'the payment was declined' }] },
})

beforeAll(async () => {
  await made().store([
    ...Array.from({ length: 9 }, (_, n) => failure(n, 'PaymentError')),
    ...Array.from({ length: 3 }, (_, n) => failure(20 + n, 'TimeoutError')),
  ])
})

const plan = { dataset: 'errors', series: [{ name: 'a', aggregate: 'count()' }] }
const metric = { plan, of: 'a', windowMinutes: 10, threshold: { type: 'fixed', direction: 'above', critical: 5 } }
const actions = [{ type: 'channel', channel: '1' }, { type: 'assignee' }]
const path = () => `/organizations/${made().organization.slug}/alerts/back-test/`

async function tested(change: object = {}, more: object = {}): Promise<RestBackTest> {
  const answer = await call('POST', path(), {
    body: { rule: { metric: { ...metric, ...change }, actions }, days: 1, ...more },
  })
  expect([answer.status, answer.text.slice(0, 300)]).toEqual([200, expect.any(String)])
  return answer.json
}

describe('a back-test', () => {
  test('says when the rule would have fired, about what, and who would have heard', async () => {
    const found = await tested()
    expect(found.firings).toEqual([
      {
        startMs: expect.any(Number),
        endMs: null,
        group: null,
        groupId: null,
        level: 'critical',
        peak: 12,
        trigger: null,
        mostly: { issue: expect.stringMatching(/-\d+$/), title: 'PaymentError: the payment was declined', share: 0.75 },
      },
    ])
    expect(found.messages).toEqual([
      { receiver: { type: 'channel', id: '1' }, count: 1 },
      { receiver: { type: 'assignee', id: null }, count: 1 },
    ])
    expect(found.others.map(({ threshold, times, isChosen }) => [threshold, times, isChosen])).toEqual([
      [3, 1, false],
      [4, 1, false],
      [5, 1, true],
      [7.5, 1, false],
      [10, 1, false],
      [15, 0, false],
    ])
    expect(found).toMatchObject({ samples: 12, sampled: false, stepMinutes: 1, suggest: null, blind: [] })
    expect(found.points).toHaveLength(96)
    expect(Math.max(...found.points.map(({ value }) => value ?? 0))).toBe(12)
  })

  test('counts the people of each group', async () => {
    const series = [{ name: 'a', aggregate: 'count_unique(user)' }]
    const found = await tested({
      plan: { ...plan, series, groupBy: ['environment'] },
      threshold: { ...metric.threshold, critical: 4 },
    })
    // Five people in production and four in staging.
    expect(found.firings.map(({ group, peak, level }) => [group, peak, level])).toEqual([['production', 5, 'critical']])
    expect(found.groups?.shown.map(({ name, times }) => [name, times])).toEqual([
      ['production', 1],
      ['staging', 0],
    ])
    expect(found).toMatchObject({ samples: 12, sampled: false })
  })

  test('asks about the environment of the rule', async () => {
    const body = { rule: { metric, environment: 'staging' }, days: 1 }
    expect((await call('POST', path(), { body })).json).toMatchObject({ samples: 5, firings: [] })
  })

  test('says what would have avoided a firing that is noise', async () => {
    const [firing] = (await tested()).firings
    const { suggest } = await tested({}, { noise: [firing?.startMs] })
    expect(suggest?.map(({ change, value, loses }) => [change, value, loses])).toEqual(
      expect.arrayContaining([
        ['threshold', 12, []],
        ['minimum', 13, []],
        ['window', 30, []],
        ['filter', expect.stringMatching(/^!issue:/), []],
      ]),
    )
  })

  describe('by groups', () => {
    const threshold = { ...metric.threshold, critical: 4 }
    const grouped = { plan: { ...plan, groupBy: ['environment'] }, threshold }
    /** The mark of each group, and what is suggested against these marks. */
    async function marked(...groups: string[]) {
      const { firings } = await tested(grouped)
      expect(firings.map(({ group, peak }) => [group, peak]).sort()).toEqual([
        ['production', 7],
        ['staging', 5],
      ])
      const marks = Object.fromEntries(firings.map(({ group, groupId, startMs }) => [group, { startMs, groupId }]))
      const { suggest } = await tested(grouped, { noise: groups.map((group) => marks[group]) })
      const byChange = Object.fromEntries(
        (suggest ?? []).map(({ change, value, ...found }) => [`${change} ${value}`.replace(/-\d+$/, ''), found]),
      )
      return { marks, byChange }
    }

    test('a mark means one group, and what a change loses is counted over all of them', async () => {
      const { marks, byChange } = await marked('staging')
      const [avoids, lost] = [[marks.staging], [marks.production]]
      const slug = Object.keys(byChange)
        .find((change) => change.startsWith('filter !issue:'))
        ?.replace('filter !issue:', '')
      expect(byChange).toEqual({
        'threshold 5': { critical: 5, avoids, loses: [], times: 1 },
        'minimum 6': { critical: 4, avoids, loses: [], times: 1 },
        'filter !environment:"staging"': { critical: 4, avoids, loses: [], times: 1 },
        [`filter !issue:${slug}`]: { critical: 4, avoids, loses: lost, times: 0 },
        'window 20': { critical: 8, avoids, loses: lost, times: 0 },
        'window 30': { critical: 12, avoids, loses: lost, times: 0 },
        'window 60': { critical: 24, avoids, loses: lost, times: 0 },
      })
    })

    test('a change against the larger group loses the smaller one', async () => {
      const { marks, byChange } = await marked('production')
      expect(byChange['threshold 7']).toMatchObject({ avoids: [marks.production], loses: [marks.staging], times: 0 })
      expect(byChange['filter !environment:"production"']).toMatchObject({ loses: [], times: 1 })
    })

    test('marks of several groups are avoided together, and no group is left out for them', async () => {
      const { byChange } = await marked('production', 'staging')
      expect(byChange['threshold 7']?.avoids).toHaveLength(2)
      expect(Object.keys(byChange).filter((change) => change.startsWith('filter !environment'))).toEqual([])
    })

    test.each([
      ['a start alone means all groups that fired then', (startMs: number) => startMs, true],
      ['the group of another rule means no firing', (startMs: number) => ({ startMs, groupId: 'f'.repeat(24) }), false],
    ])('%s', async (_says, noiseOf, isFound) => {
      const { firings } = await tested(grouped)
      const startMs = firings[0]?.startMs ?? 0
      const { suggest } = await tested(grouped, { noise: [noiseOf(startMs)] })
      const together = firings.filter((firing) => firing.startMs === startMs).length
      expect(suggest?.find(({ change }) => change === 'threshold')?.avoids.length).toBe(isFound ? together : undefined)
    })

    test('a mark without a group name of some length is refused', async () => {
      const noise = [{ startMs: 1, groupId: 'x'.repeat(65) }]
      const body = { rule: { metric: { ...metric, ...grouped } }, days: 1, noise }
      expect((await call('POST', path(), { body })).json).toHaveProperty('noise')
    })
  })

  test('names the part that it cannot judge', async () => {
    const weekly = { threshold: { type: 'weekly', direction: 'above', critical: 100 } }
    const found = await tested(weekly)
    expect(found.firings).toEqual([])
    expect(found.blind).toEqual([
      {
        fromMs: found.fromMs,
        toMs: found.toMs,
        reason: 'pattern',
        sentence: expect.stringMatching(/^The weekly pattern needs 14 days/),
      },
    ])
    const ofState = await tested({ plan: { ...plan, query: 'is:unresolved' } })
    expect(ofState.blind.map(({ reason }) => reason)).toEqual(['state'])
  })

  test.each([
    ['an unknown group', { plan: { ...plan, groupBy: ['release', 'nonsense()'] } }, 'groupBy'],
    ['more than three groups', { plan: { ...plan, groupBy: ['release', 'environment', 'level', 'platform'] } }, 'plan'],
    ['a window between two steps', { windowMinutes: 61 }, 'windowMinutes'],
    ['an unknown series', { of: 'z' }, 'of'],
  ])('refuses %s and names the field', async (_name, change, field) => {
    const answer = await call('POST', path(), { body: { rule: { metric: { ...metric, ...change } }, days: 1 } })
    expect(answer.status).toBe(400)
    expect(answer.json).toHaveProperty(field)
  })

  test('of an issue rule names the issue that it is about', async () => {
    const issue = { when: [{ type: 'new' }], filter: 'PaymentError' }
    const answer = await call('POST', path(), { body: { rule: { issue, actions }, days: 1 } })
    expect([answer.status, answer.text.slice(0, 300)]).toEqual([200, expect.any(String)])
    const { firings, messages, points, samples }: RestBackTest = answer.json
    expect(firings).toEqual([
      {
        startMs: expect.any(Number),
        endMs: firings[0]?.startMs,
        group: null,
        groupId: null,
        level: 'critical',
        peak: null,
        trigger: 'new',
        mostly: { issue: expect.stringMatching(/-\d+$/), title: 'PaymentError: the payment was declined', share: 1 },
      },
    ])
    expect([messages.map(({ count }) => count), points.length, samples]).toEqual([[1, 1], 96, 2])
    const wrong = { rule: { issue: { ...issue, filter: 'is:nonsense' } }, days: 1 }
    expect((await call('POST', path(), { body: wrong })).status).toBe(400)
  })

  test('a stranger gets what a missing organization gets', async () => {
    const answer = await call('POST', path(), { body: { rule: { metric }, days: 1 }, token: 'wrong' })
    expect(answer.status).toBe(401)
  })
})

test.each(['back-test', 'preview'])('a token that reads rules but no events gets no %s', async (name) => {
  const body = { rule: { name: 'New', metric, actions: [] }, days: 1 }
  const target = `/organizations/${made().organization.slug}/alerts/${name}/`
  const ruler = await personAs('member', ['alerts:read', 'alerts:write'])
  const refused = await call('POST', target, { body, token: ruler.token })
  expect([refused.status, (refused.json as { code?: string }).code]).toEqual([403, 'AUTH_TOKEN_SCOPE'])
  const reader = await personAs('viewer', ['event:read'])
  expect((await call('POST', target, { body, token: reader.token })).status).toBe(200)
})
