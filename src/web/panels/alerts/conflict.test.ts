import { expect, test } from 'vitest'
import type { RestAlertRule } from '../../../contract/alerts/alerts.ts'
import { changedParts, mergeConcurrentChange } from './conflict.ts'
import { emptyDraft } from './draft.ts'

const of = (revision: number, more: Partial<RestAlertRule> = {}) =>
  ({ revision, name: 'A', isActive: true, mutedUntil: null, state: { status: 'ok' }, ...more }) as RestAlertRule

test.each([
  ['the only change', of(4, { mutedUntil: 'later' }), { revision: 4, name: 'A', mutedUntil: 'later' }],
  [
    'one after that of somebody else: the form must still meet the conflict',
    of(5, { mutedUntil: 'later', name: 'Theirs' }),
    { revision: 3, name: 'A', mutedUntil: 'later' },
  ],
])('a mute beside a form with changes, %s', (_what, next, expected) => {
  expect(mergeConcurrentChange(of(3), next)).toMatchObject(expected)
})

test('names the parts in which two drafts differ', () => {
  expect(changedParts(emptyDraft, emptyDraft)).toEqual([])
  expect(changedParts(emptyDraft, { ...emptyDraft, name: 'B', intervalMinutes: 61 })).toEqual(['name', 'often'])
})
