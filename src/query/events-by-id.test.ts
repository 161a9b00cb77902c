import { expect, test } from 'vitest'
import { eventsById } from './events.ts'
import type { QueryDeps } from './issues/issue.ts'

type Looked = { found: number; waits: number[] }

/** Looks for an event that is stored after `storedAfter` look-ups. Returns how often it was found, and the waits, ms. */
async function look(storedAfter: number, isCatchingUp: boolean): Promise<Looked> {
  const waits: number[] = []
  let asked = 0
  const deps = {
    events: { byEventId: async () => (asked++ >= storedAfter ? [{ projectId: 1, groupHash: 'a' }] : []) },
    meta: { issues: { issueIdsOf: async () => new Map([['1:a', 7]]), issueById: async () => ({ id: 7 }) } },
    clock: { sleep: async (ms: number) => void waits.push(ms) },
    readers: { isCatchingUp: () => isCatchingUp },
  } as unknown as QueryDeps
  return { found: (await eventsById(deps, [1], 'a'.repeat(32))).length, waits }
}

test.each<[string, number, boolean, Looked]>([
  ['a stored event is found at once', 0, true, { found: 1, waits: [] }],
  ['one that is on its way is found the second time', 1, true, { found: 1, waits: [200] }],
  ['or the fourth time', 3, true, { found: 1, waits: [200, 300, 600] }],
  ['one that is not stored is looked for four times', 9, true, { found: 0, waits: [200, 300, 600] }],
  ['nothing is on its way', 1, false, { found: 0, waits: [] }],
])('%s', async (_name, storedAfter, isCatchingUp, expected) => {
  expect(await look(storedAfter, isCatchingUp)).toEqual(expected)
})
