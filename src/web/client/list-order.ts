'use client'
import type { RestIssue } from '../../contract/issues.ts'

/** Maximum rows to remember: more than anybody steps through by keys. */
const storedMax = 1_000
const keyOf = (organization: string) => `list-order:${organization}`

/** Stores the order of the list for this tab, so that an issue page knows the next issue of the list. */
export function storeList(organization: string, rows: readonly Pick<RestIssue, 'id'>[]): void {
  sessionStorage.setItem(keyOf(organization), JSON.stringify(rows.slice(0, storedMax).map((row) => row.id)))
}

/** The place of an issue in a list, from 1, and the ids before and after it. */
export type ListPlace = { number: number; total: number; previous: string | undefined; next: string | undefined }

/** The place of `id` in a list; undefined if it is not in the list. */
export function placeIn(list: readonly string[], id: string): ListPlace | undefined {
  const at = list.indexOf(id)
  return at < 0 ? undefined : { number: at + 1, total: list.length, previous: list[at - 1], next: list[at + 1] }
}

/** Like placeIn, for the list that this tab showed last. */
export function placeOf(organization: string, id: string): ListPlace | undefined {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(keyOf(organization)) ?? '[]')
    return placeIn(Array.isArray(stored) ? stored.map(String) : [], id)
  } catch {
    // The stored value is not JSON: ignore it.
    return undefined
  }
}
