import type { Cell, Filter, Value } from './question.ts'

/** Condition that a row is in a group: its values as an answer has them. */
export function inGroup(wanted: readonly Value[], cells: readonly Cell[]): Filter {
  const is = (value: Value, cell: Cell | undefined): Filter => {
    if (cell === null || cell === undefined) return { op: 'not', of: { op: 'match', value, match: 'has', text: '' } }
    if (value.of === 'time') return { op: 'compare', value, compare: '=', number: Date.parse(String(cell)) }
    if (typeof cell === 'number') return { op: 'compare', value, compare: '=', number: cell }
    if (typeof cell === 'boolean') return { op: 'compare', value, compare: '=', number: cell ? 1 : 0 }
    return { op: 'match', value, match: 'is', text: cell }
  }
  return { op: 'and', of: wanted.map((value, at) => is(value, cells[at])) }
}

/** Condition that a row is in one of these groups. */
export const inGroups = (wanted: readonly Value[], groups: readonly (readonly Cell[])[]): Filter => ({
  op: 'or',
  of: groups.map((cells) => inGroup(wanted, cells)),
})

/** Whether the cells of an answer begin with a wanted group: a row with several values is in other groups, too. */
export function isWanted(
  wanted: readonly Value[],
  groups: readonly (readonly Cell[])[],
): (cells: readonly Cell[]) => boolean {
  const found = new Set(groups.map((cells) => JSON.stringify(cells.slice(0, wanted.length))))
  return (cells) => found.has(JSON.stringify(cells.slice(0, wanted.length)))
}
