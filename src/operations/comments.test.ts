import { expect, test } from 'vitest'
import { commit, effect } from '../store/meta/fixture.cases.ts'
import type { Issue } from '../store/meta/meta.ts'
import { addComment, deleteComment, updateComment } from './comments.ts'
import { operationRig, sessionOf } from './rig.cases.ts'

const fresh = operationRig()
const names = ['ann', 'bob', 'eve']

/** A rig with issue 1 and the members ann, bob and eve. */
async function rig() {
  const deps = await fresh()
  await commit(deps.meta, { events: [effect()] })
  for (const userId of ['bob', 'eve']) await deps.meta.organizations.setMember(1, userId, 'member')
  const people = async (ids: string[]) =>
    names.filter((id) => ids.includes(id)).map((id) => ({ id, name: id, email: `${id}@example.test` }))
  const issue = await deps.meta.issues.issueById(1)
  if (!issue) throw new Error('no issue')
  return { ...deps, meta: { ...deps.meta, people: { ...deps.meta.people, people } }, issue }
}
type Rig = Awaited<ReturnType<typeof rig>>
const noticesOf = async ({ meta, clock }: Rig) =>
  (await meta.issues.noticesDue(clock.now() + 86_400_000, 9)).map(({ userId, kind }) => `${userId} ${kind}`)
const notes = async ({ meta }: Rig, { id }: Issue) =>
  (await meta.issues.activityOf(id)).filter(({ type }) => type === 'note')

test('a comment notifies whom it names and who follows, but not its writer', async () => {
  const deps = await rig()
  await addComment(deps, deps.ann, deps.issue, 'Look, @bob and @ann.')
  expect(await noticesOf(deps)).toEqual(['bob mention'])
  await addComment(deps, sessionOf('eve'), deps.issue, 'Me too.')
  expect((await noticesOf(deps)).toSorted()).toEqual(['ann comment', 'bob comment', 'bob mention'])
  expect((await deps.meta.issues.subscribersOf(1)).toSorted()).toEqual(['ann', 'bob', 'eve'])
  expect(deps.announced).toEqual([
    { kind: 'issue', id: '1' },
    { kind: 'issue', id: '1' },
  ])
})

test('a comment that changes notifies only whom it names now and did not before', async () => {
  const deps = await rig()
  const first = await addComment(deps, deps.ann, deps.issue, '@bob')
  const changed = await updateComment(deps, deps.ann, deps.issue, first, '@bob @eve')
  expect(changed.data.text).toBe('@bob @eve')
  expect((await noticesOf(deps)).toSorted()).toEqual(['bob mention', 'eve mention'])
  expect(deps.announced).toHaveLength(2)
})

test('a comment is deleted', async () => {
  const deps = await rig()
  const { id } = await addComment(deps, deps.ann, deps.issue, 'Gone.')
  await deleteComment(deps, deps.issue, id)
  expect([await notes(deps, deps.issue), deps.announced.length]).toEqual([[], 2])
})
