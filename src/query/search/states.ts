import type { IssueFilter } from '../../store/meta/meta.ts'

const substatus = (value: string): IssueFilter => ({ op: 'substatus', value })
const ignored: IssueFilter = { op: 'status', value: 'ignored' }

/** The condition of each value of `is:`. `true` matches every issue, `false` none. */
export const stateFilters = {
  unresolved: { op: 'status', value: 'unresolved' },
  resolved: { op: 'status', value: 'resolved' },
  archived: ignored,
  ignored,
  assigned: { op: 'assigned', userId: 'any' },
  unassigned: { op: 'assigned', userId: null },
  new: substatus('new'),
  ongoing: substatus('ongoing'),
  escalating: substatus('escalating'),
  regressed: substatus('regressed'),
  for_review: {
    op: 'and',
    of: [
      { op: 'status', value: 'unresolved' },
      { op: 'or', of: [substatus('new'), substatus('regressed'), substatus('escalating')] },
    ],
  },
  noise: { op: 'noise' },
  // No issue is linked to a tracker: Mishap has no such integration.
  linked: false,
  unlinked: true,
  archived_until_escalating: substatus('archived_until_escalating'),
  archived_until_condition_met: substatus('archived_until_condition_met'),
  // An archived issue without a substatus stays archived forever too.
  archived_forever: { op: 'and', of: [ignored, { op: 'or', of: [substatus('archived_forever'), substatus('')] }] },
} satisfies Record<string, IssueFilter | boolean>

type State = keyof typeof stateFilters

export const isState = (value: string): value is State => Object.hasOwn(stateFilters, value)

/** The values of `is:`. */
export const states: readonly string[] = Object.keys(stateFilters)
