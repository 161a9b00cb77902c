import { expect, test } from 'vitest'
import { commit, stored } from '../store/meta/fixture.cases.ts'
import { deleteDeadLetter } from './dead-letters.ts'
import { endOf, operationRig } from './rig.cases.ts'

const fresh = operationRig()

test('a dead letter goes with what is kept of it, and once only', async () => {
  const { meta, clock } = await fresh()
  const letter = {
    jpos: 1,
    projectId: 1,
    keyId: 1,
    receivedMs: clock.now(),
    reason: 'failed',
    bytes: 9,
    blobKey: 'dead/1',
  }
  await commit(meta, { dead: [letter], outcomes: [{ ...stored, outcome: 'dead', reason: 'failed', quantity: 4 }] })
  const gone: string[] = []
  const deps = {
    meta,
    clock,
    deadLetterCount: async () => 4,
    blobs: { delete: async (key: string) => void gone.push(key) },
  }
  await deleteDeadLetter(deps, { ...letter, id: 1 })
  expect([await meta.ledger.deadLetterById(1), gone]).toEqual([undefined, ['dead/1']])
  const sums = (await meta.ledger.outcomeSums({ projectIds: [1], fromMs: 0 })).map(({ outcome, reason, quantity }) => ({
    outcome,
    reason,
    quantity,
  }))
  expect(sums).toContainEqual({ outcome: 'dead', reason: 'deleted', quantity: 4 })
  expect(await endOf(() => deleteDeadLetter(deps, { ...letter, id: 1 }))).toEqual(['NOT_FOUND', []])
  expect(gone).toHaveLength(1)
})
