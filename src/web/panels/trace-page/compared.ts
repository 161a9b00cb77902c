import type { RestComparedRow, RestTraceComparison } from '../../../contract/explore/trace-compare.ts'

/** Differences up to this, and up to this part of the longer side, are not called slower or faster. */
const sameMs = 1
const sameShare = 0.05

type Verdict = 'onlyA' | 'onlyB' | 'slower' | 'faster' | 'same'

/** What B is against A, by the sum of a row's spans or by their self time. */
export function verdictOf(
  { a, b }: Pick<RestComparedRow, 'a' | 'b'>,
  by: 'total' | 'self',
): { verdict: Verdict; ms: number } {
  if (!a || !b) return { verdict: a ? 'onlyA' : 'onlyB', ms: a?.[by] ?? b?.[by] ?? 0 }
  const ms = b[by] - a[by]
  const isSame = Math.abs(ms) <= Math.max(sameMs, Math.max(a[by], b[by]) * sameShare)
  return { verdict: isSame ? 'same' : ms > 0 ? 'slower' : 'faster', ms: Math.abs(ms) }
}

/** Whether a row says something about the difference of both traces. */
const isDifferent = (row: RestComparedRow): boolean =>
  verdictOf(row, 'total').verdict !== 'same' || row.a?.count !== row.b?.count

/** The rows that are shown: none below a closed row, and on request only those that differ, with the rows above them. */
export function shownRows(
  { rows }: RestTraceComparison,
  closed: ReadonlySet<number>,
  isOnlyDifferent: boolean,
): number[] {
  const kept = new Set<number>()
  if (isOnlyDifferent)
    for (const [at, row] of rows.entries())
      if (isDifferent(row)) for (let up = at; up >= 0 && !kept.has(up); up = rows[up]?.parent ?? -1) kept.add(up)
  const hidden = new Set<number>()
  return [...rows.keys()].filter((at) => {
    const parent = rows[at]?.parent ?? -1
    if (parent >= 0 && (closed.has(parent) || hidden.has(parent))) hidden.add(at)
    return !hidden.has(at) && (!isOnlyDifferent || kept.has(at))
  })
}
