import { describe, expect, it } from 'vitest'
import type { RestMember } from '../../../contract/people.ts'
import { assignedOf, membersFor, stepped } from './assignee-rules.ts'

const person = (id: string, name: string) => ({ type: 'user' as const, id, name, email: `${id}@example.test` })
const ann = person('ann', 'Ann Lee')
const bob = person('bob', 'Bob')

describe('what an assignment moves', () => {
  const issues = [
    { id: '1', assignedTo: null },
    { id: '2', assignedTo: ann },
    { id: '3', assignedTo: null },
    { id: '4', assignedTo: bob },
    { id: '5', assignedTo: { ...ann } },
  ]
  it.each([
    [
      'bob',
      [
        [null, ['1', '3']],
        [ann, ['2', '5']],
      ],
    ],
    [
      'ann',
      [
        [null, ['1', '3']],
        [bob, ['4']],
      ],
    ],
    [
      null,
      [
        [ann, ['2', '5']],
        [bob, ['4']],
      ],
    ],
  ])('to %j', (to, expected) => {
    expect(assignedOf(issues, to).map((item) => [item.was, item.issues.map(({ id }) => id)])).toEqual(expected)
  })
  it('keeps the revision that an undo asks for', () => {
    expect(assignedOf([{ id: '1', revision: 4, assignedTo: null }], 'bob')).toEqual([
      { was: null, issues: [{ id: '1', revision: 4 }] },
    ])
  })
  it('to whom they are: nothing', () => expect(assignedOf([{ id: '2', assignedTo: ann }], 'ann')).toEqual([]))
})

describe('members by a text', () => {
  const members = [ann, bob].map((item) => item as unknown as RestMember)
  it.each([
    ['', ['ann', 'bob']],
    ['  ', ['ann', 'bob']],
    ['LEE', ['ann']],
    ['lee an', ['ann']],
    ['bob@', ['bob']],
    ['ann bob', []],
  ])('%j', (text, ids) => expect(membersFor(members, text).map((member) => member.id)).toEqual(ids))
})

describe('steps through choices', () => {
  it.each([
    [0, 1, 3, 1],
    [2, 1, 3, 0],
    [0, -1, 3, 2],
    [5, 1, 3, 0],
    [0, 1, 0, 0],
  ])('%i %i of %i is %i', (at, step, count, expected) => expect(stepped(at, step, count)).toBe(expected))
})
