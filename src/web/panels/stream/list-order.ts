'use client'
import type { RestIssue } from '../../../contract/issues.ts'

/** Rows of a list that are kept for the way through it: more than anybody goes through by keys. */
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

/** The same of the list that was opened last. */
export function neighbourOf(organization: string, id: string, step: number): string | undefined {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(keyOf(organization)) ?? '[]')
    return neighbourIn(Array.isArray(kept) ? kept.map(String) : [], id, step)
  } catch {
    // What somebody else wrote there is no list.
    return undefined
  }
}
