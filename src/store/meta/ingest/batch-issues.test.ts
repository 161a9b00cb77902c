import { expect, test } from 'vitest'
import { effect } from '../fixture.cases.ts'
import { assignIssues, fingerprintKey } from './batch-issues.ts'

const projects = new Map([1, 2].map((id) => [id, { id, organization_id: 1, slug: `p${id}`, first_event_ms: null }]))
const stored = new Map([
  [fingerprintKey(1, 'a'), 7],
  [fingerprintKey(1, 'b'), 8],
])

/** Returns issues by event: the id, or `new` and the place of the event that creates it. */
const assign = (events: [number, string[]][]) => {
  const effects = events.map(([projectId, hashes], jpos) => effect({ projectId, hashes, jpos }))
  const { assigned, created, hashes } = assignIssues(effects, projects, stored)
  const name = (target: (typeof assigned)[number]['target']) =>
    typeof target === 'number' ? target : `new ${target.effect.jpos}`
  return {
    issues: assigned.map(({ target }) => name(target)),
    created: created.map(({ effect: { jpos } }) => jpos),
    hashes: hashes.map(({ projectId, hash, target }) => `${projectId} ${hash} ${name(target)}`),
  }
}

test.each<[string, [number, string[]][], ReturnType<typeof assign>]>([
  ['a stored hash', [[1, ['a']]], { issues: [7], created: [], hashes: [] }],
  ['its first known hash', [[1, ['x', 'b', 'a']]], { issues: [8], created: [], hashes: ['1 x 8'] }],
  [
    'a hash that an earlier event attached',
    [
      [1, ['x', 'a']],
      [1, ['x', 'b']],
    ],
    { issues: [7, 7], created: [], hashes: ['1 x 7'] },
  ],
  [
    'the issue that an earlier event creates',
    [
      [1, ['x', 'y']],
      [1, ['y', 'z']],
      [1, ['z']],
    ],
    { issues: ['new 0', 'new 0', 'new 0'], created: [0], hashes: ['1 x new 0', '1 y new 0', '1 z new 0'] },
  ],
  [
    'an issue of its own project',
    [
      [2, ['a']],
      [1, ['a']],
    ],
    { issues: ['new 0', 7], created: [0], hashes: ['2 a new 0'] },
  ],
  ['a hash that it names twice', [[1, ['x', 'x']]], { issues: ['new 0'], created: [0], hashes: ['1 x new 0'] }],
  [
    'nothing when its project is gone',
    [
      [3, []],
      [1, ['b']],
    ],
    { issues: [8], created: [], hashes: [] },
  ],
])('an event is assigned by %s', (_name, events, expected) => {
  expect(assign(events)).toEqual(expected)
})

test('an event without a hash is refused', () => {
  expect(() => assign([[1, []]])).toThrow('at 0 has no hash')
})
