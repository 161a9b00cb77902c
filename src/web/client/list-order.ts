'use client'
import type { RestIssue } from '../../contract/issues.ts'

/** Maximum rows to remember: more than anybody steps through by keys. */
const storedMax = 1_000
const keyOf = (organization: string) => `list-order:${organization}`

/** Stores the order of the list for this tab, so that an issue page knows the next issue of the list. */
export function storeList(organization: string, rows: readonly Pick<RestIssue, 'id'>[]): void {
  sessionStorage.setItem(keyOf(organization), JSON.stringify(rows.slice(0, storedMax).map((row) => row.id)))
}

/** The issue `step` places further in a list; undefined past the ends or if `id` is not in the list. */
export function neighbourIn(list: readonly string[], id: string, step: number): string | undefined {
  const at = list.indexOf(id)
  return at < 0 ? undefined : list[at + step]
}

/** Like neighbourIn, for the list that this tab showed last. */
export function neighbourOf(organization: string, id: string, step: number): string | undefined {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(keyOf(organization)) ?? '[]')
    return neighbourIn(Array.isArray(stored) ? stored.map(String) : [], id, step)
  } catch {
    // The stored value is not JSON: ignore it.
    return undefined
  }
}
