import { expect, test } from 'vitest'
import { commit, effect } from '../store/meta/fixture.cases.ts'
import type { Issue } from '../store/meta/meta.ts'
import { addComment, deleteComment, updateComment } from './comments.ts'
import { operationRig, sessionOf } from './rig.cases.ts'

const fresh = operationRig()
const names = ['ann', 'bob', 'eve']

/** A rig with issue 1 and the members ann, bob and eve. */
function rig() {
  const parts = fresh()
  commit(parts.meta, { events: [effect()] })
  for (const userId of ['bob', 'eve']) parts.meta.setMember(1, userId, 'member')
  const people = (ids: string[]) =>
    names.filter((id) => ids.includes(id)).map((id) => ({ id, name: id, email: `${id}@example.test` }))
  const issue = parts.meta.issueById(1)
  if (!issue) throw new Error('no issue')
  return { ...parts, meta: { ...parts.meta, people }, issue }
}
type Rig = ReturnType<typeof rig>
const noticesOf = ({ meta, clock }: Rig) =>
  meta.noticesDue(clock.now() + 86_400_000, 9).map(({ userId, kind }) => `${userId} ${kind}`)
const notes = ({ meta }: Rig, { id }: Issue) => meta.activityOf(id).filter(({ type }) => type === 'note')

test('a comment notifies whom it names and who follows, but not its writer', () => {
  const parts = rig()
  addComment(parts, parts.ann, parts.issue, 'Look, @bob and @ann.')
  expect(noticesOf(parts)).toEqual(['bob mention'])
  addComment(parts, sessionOf('eve'), parts.issue, 'Me too.')
  expect(noticesOf(parts).toSorted()).toEqual(['ann comment', 'bob comment', 'bob mention'])
  expect(parts.meta.subscribersOf(1).toSorted()).toEqual(['ann', 'bob', 'eve'])
  expect(parts.announced).toEqual([
    { kind: 'issue', id: '1' },
    { kind: 'issue', id: '1' },
  ])
})

test('a comment that changes notifies only whom it names now and did not before', () => {
  const parts = rig()
  const first = addComment(parts, parts.ann, parts.issue, '@bob')
  const changed = updateComment(parts, parts.ann, parts.issue, first, '@bob @eve')
  expect(changed.data.text).toBe('@bob @eve')
  expect(noticesOf(parts).toSorted()).toEqual(['bob mention', 'eve mention'])
  expect(parts.announced).toHaveLength(2)
})

test('a comment is deleted', () => {
  const parts = rig()
  const { id } = addComment(parts, parts.ann, parts.issue, 'Gone.')
  deleteComment(parts, parts.issue, id)
  expect([notes(parts, parts.issue), parts.announced.length]).toEqual([[], 2])
})
