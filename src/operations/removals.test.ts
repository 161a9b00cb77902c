import { describe, expect, test } from 'vitest'
import type { Removal } from '../store/meta/retention/removals.ts'
import { deleteIssues, deleteOrganization, deleteProject } from './removals.ts'
import { operationRig } from './rig.cases.ts'

const fresh = operationRig()

/** A rig whose removals take 600 ms of the clock each and which logs all calls in order. */
async function rig() {
  const { clock, publishKeys, published, ann } = await fresh()
  const log: unknown[] = []
  let last = 0
  const request = async (value: object): Promise<Removal> => {
    log.push(value)
    return { id: ++last } as Removal
  }
  const wait = async (id: number, ms: number): Promise<Removal | undefined> => {
    log.push(['wait', id, ms, published.length])
    clock.advance(Math.min(ms, 600))
    return id === 3 ? undefined : ({ id } as Removal)
  }
  return { clock, publishKeys, published, ann, log, removals: { request, requestOrganization: request, wait } }
}

test('issues are all asked for first, and waited for together; one that is gone is left out', async () => {
  const { ann, log, ...deps } = await rig()
  const issues = [10, 11, 12].map((id) => ({ id, projectId: 1 }))
  const ended = await deleteIssues(deps, ann, issues, 'discard', 1000)
  expect(ended.map(({ id }) => id)).toEqual([1, 2])
  expect(log).toEqual([
    ...issues.map(({ id }) => ({ kind: 'discard', projectId: 1, issueId: id, userId: 'ann' })),
    ['wait', 1, 1000, 0],
    ['wait', 2, 400, 0],
    ['wait', 3, 0, 0],
  ])
})

describe('keys end before anything is waited for', () => {
  test('of a project', async () => {
    const { ann, log, ...deps } = await rig()
    expect((await deleteProject(deps, ann, 5, 300))?.id).toBe(1)
    expect(log).toEqual([{ kind: 'project', projectId: 5, issueId: null, userId: 'ann' }, ['wait', 1, 300, 1]])
  })

  test('of an organization', async () => {
    const { ann, log, ...deps } = await rig()
    expect((await deleteOrganization(deps, ann, 2, 300))?.id).toBe(1)
    expect(log).toEqual([{ organizationId: 2, userId: 'ann' }, ['wait', 1, 300, 1]])
  })
})
