import { expect, test } from 'vitest'
import { base, firing, rule } from './decide.cases.ts'
import { decide } from './decide.ts'

const askedBy = (kind: 'issue' | 'metric', count: number) =>
  decide({
    ...base,
    rules: new Map([[1, rule(1, { kind, trackers: [4, 5] })]]),
    firings: Array.from({ length: count }, (_, at) => firing(1, { id: at + 1, issue: at + 1 })),
  })

test('each issue of a rule goes to each of its trackers', () => {
  expect(askedBy('issue', 1).trackerIssues).toEqual(
    [4, 5].map((integrationId) => ({ organizationId: 1, ruleId: 1, integrationId, issueId: 1 })),
  )
})

test('a metric rule creates none', () => {
  expect(askedBy('metric', 1).trackerIssues).toEqual([])
})

test('a flood fills no tracker, and its incident says so once', () => {
  const { trackerIssues, incidents } = askedBy('issue', 40)
  expect(new Set(trackerIssues.map(({ issueId }) => issueId)).size).toBe(10)
  const held = incidents.flatMap(({ activities }) => activities.filter(({ kind }) => kind === 'tracker_held'))
  expect(held.map(({ data }) => data)).toEqual([{ reason: 'Too many issues at once.', why: 'flood' }])
})
