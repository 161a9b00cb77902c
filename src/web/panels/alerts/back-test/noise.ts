import type { RestBackTest } from '../../../../contract/alerts/alerts-back-test.ts'

/** A firing that is marked as noise: its start, and its group if the rule has groups. */
export type Mark = NonNullable<RestBackTest['suggest']>[number]['avoids'][number]

/** The mark of a firing. */
export const markOf = ({ startMs, groupId }: Pick<RestBackTest['firings'][number], 'startMs' | 'groupId'>): Mark =>
  groupId === null ? startMs : { startMs, groupId }

/** A text that two marks of one firing share. */
export const keyOf = (mark: Mark): string => (typeof mark === 'number' ? `${mark}` : `${mark.startMs} ${mark.groupId}`)

/** Whether a firing is among the marked ones. */
export const isMarked = (marks: readonly Mark[], mark: Mark): boolean =>
  marks.some((other) => keyOf(other) === keyOf(mark))

/** The marks with one added, or without it if it was there. */
export const toggled = (marks: readonly Mark[], mark: Mark): Mark[] =>
  isMarked(marks, mark) ? marks.filter((other) => keyOf(other) !== keyOf(mark)) : [...marks, mark]
