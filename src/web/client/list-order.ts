'use client'
import type { RestIssue } from '../../contract/issues.ts'

/** How many rows of a list are kept: more than anybody steps through by keys. */
const keptMax = 1_000
const keyOf = (organization: string) => `list-order:${organization}`

/** Keeps the order of the list for this tab, so that an opened issue knows the next one of the same list. */
export function keepList(organization: string, rows: readonly Pick<RestIssue, 'id'>[]): void {
  sessionStorage.setItem(keyOf(organization), JSON.stringify(rows.slice(0, keptMax).map((row) => row.id)))
}

/** The issue `step` places further in a list; undefined at its ends, or when the issue is not in it. */
export function neighbourIn(list: readonly string[], id: string, step: number): string | undefined {
  const at = list.indexOf(id)
  return at < 0 ? undefined : list[at + step]
}

/** The same in the list that was opened last. */
export function neighbourOf(organization: string, id: string, step: number): string | undefined {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(keyOf(organization)) ?? '[]')
    return neighbourIn(Array.isArray(kept) ? kept.map(String) : [], id, step)
  } catch {
    // Somebody else wrote there: ignore it.
    return undefined
  }
}
