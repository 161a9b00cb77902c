import { expect, test } from 'vitest'
import { reportOf } from './alert-report.ts'

const dayMs = 86_400_000
let made = 0
const sent = (count: number, change: Partial<Parameters<typeof reportOf>[0][number]> = {}) =>
  Array.from({ length: count }, () => ({
    message: String(++made),
    ruleId: 1,
    incidentId: null,
    issueIds: [7],
    sentMs: dayMs,
    ...change,
  }))

test.each<[string, number[], number]>([
  ['at once', [dayMs], 1],
  ['at the last moment', [2 * dayMs - 1], 1],
  ['a day later', [2 * dayMs], 0],
  ['before the message', [dayMs - 1], 0],
  ['never', [], 0],
])('an action %s', (_name, times, useful) => {
  const actions = times.map((atMs) => ({ issueId: 7, atMs }))
  expect(reportOf(sent(1), actions, new Map())).toMatchObject([{ sent: 1, useful, ignored: 1 - useful }])
})

test.each<[string, number[], number]>([
  ['nobody acts', [], 0],
  ['somebody acts within the day of one recipient, who heard it after quiet hours', [2 * dayMs + 5], 1],
])('one message to nine recipients counts once: %s', (_name, times, useful) => {
  const message = { message: 'same', incidentId: 3 }
  const messages = [...sent(8, message), ...sent(1, { ...message, sentMs: dayMs + 10 })]
  const actions = times.map((atMs) => ({ issueId: 7, atMs }))
  expect(reportOf(messages, actions, new Map())).toEqual([
    { ruleId: 1, sent: 1, useful, ignored: 1 - useful, unacknowledged: 1, proposal: undefined },
  ])
  // Another rule can say the same about the incident.
  expect(reportOf([...messages, ...sent(1, { ...message, ruleId: 2 })], [], new Map())).toHaveLength(2)
})

test('an incident that is acknowledged in time is useful; later it is only acknowledged', () => {
  const messages = [3, 4, 5].flatMap((incidentId) => sent(1, { incidentId, issueIds: [] }))
  const acknowledged = new Map([
    [3, dayMs + 60_000],
    [4, 9 * dayMs],
  ])
  expect(reportOf(messages, [], acknowledged)).toMatchObject([{ sent: 3, useful: 1, ignored: 2, unacknowledged: 1 }])
})

test('rules that only make noise get a proposal, the noisiest first', () => {
  const acted = [{ issueId: 9, atMs: dayMs }]
  const messages = [
    ...sent(4, { ruleId: 1 }),
    ...sent(5, { ruleId: 2 }),
    ...sent(9, { ruleId: 3 }),
    ...sent(1, { ruleId: 3, issueIds: [9] }),
    ...sent(8, { ruleId: 4 }),
    ...sent(2, { ruleId: 4, issueIds: [9] }),
    ...sent(20, { ruleId: null }),
  ]
  const report = reportOf(messages, acted, new Map())
  expect(report.map(({ ruleId }) => ruleId)).toEqual([null, 3, 4, 2, 1])
  expect(new Map(report.map(({ ruleId, proposal }) => [ruleId, proposal?.slice(0, 24)]))).toEqual(
    new Map([
      [null, undefined],
      [3, 'Only 1 of its 10 message'],
      [4, undefined],
      [2, 'Nobody acted on any of i'],
      [1, undefined],
    ]),
  )
})
