import type { PlanCell, PlanColumn } from '../../../contract/explore/explore.ts'

/** The unit that a number of this column is written with. */
export function unitOf({ type, unit }: Pick<PlanColumn, 'type' | 'unit'>): string | null {
  if (type === 'duration') return unit ?? 'millisecond'
  if (type === 'percentage') return unit ?? 'ratio'
  return unit
}

/** The heading of a column: its field, or the aggregate or expression of a series. */
export const headingOf = ({ name, label, role }: PlanColumn): string =>
  role === 'field' || role === 'group' ? name : label && label !== name ? `${name}: ${label}` : name

/** Whether cells of this column are numbers, which stand at the right. */
export const isNumeric = ({ type }: Pick<PlanColumn, 'type'>): boolean =>
  ['number', 'integer', 'duration', 'percentage', 'rate'].includes(type)

/** The name of a group in a legend. */
export const groupName = (group: readonly PlanCell[], none: string): string =>
  group.map((cell) => (cell === null || cell === '' ? none : String(cell))).join(', ')

/** The order after a press on the heading of a column: largest first, then smallest, then none. */
export const nextOrder = (order: string, name: string): string =>
  order === `-${name}` ? name : order === name ? '' : `-${name}`
