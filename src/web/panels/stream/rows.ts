import type { RestIssue, RestPoint } from '../../../contract/issues.ts'
import type { ApiPage } from '../../client/api.ts'

export type Page = ApiPage<RestIssue>

/** All rows without duplicates (a row can move to a later page between two requests); `first` rows come first. */
export function rowsOf(pages: readonly Page[], first: readonly RestIssue[] = []): RestIssue[] {
  const seen = new Set<string>()
  const rows: RestIssue[] = []
  for (const list of [first, ...pages.map((page) => page.rows)]) {
    for (const row of list) {
      if (seen.has(row.id)) continue
      seen.add(row.id)
      rows.push(row)
    }
  }
  return rows
}

/** Replaces rows with the result of `change`. Unchanged pages and rows stay the same objects. */
export function changeRows(pages: readonly Page[], change: (row: RestIssue) => RestIssue): Page[] {
  return pages.map((page) => {
    let changed = false
    const rows = page.rows.map((row) => {
      const next = change(row)
      if (next !== row) changed = true
      return next
    })
    return changed ? { ...page, rows } : page
  })
}

function withMore(points: RestPoint[], events: number): RestPoint[] {
  const last = points.at(-1)
  return last ? [...points.slice(0, -1), [last[0], last[1] + events]] : points
}

/** The row after `events` more events at `nowMs`. Updates counts, last seen and the last bar. */
export function countUp(row: RestIssue, events: number, nowMs: number): RestIssue {
  if (events <= 0) return row
  const lastSeen = new Date(Math.max(nowMs, Date.parse(row.lastSeen) || 0)).toISOString()
  const stats: RestIssue['stats'] = {}
  for (const [name, points] of Object.entries(row.stats)) stats[name] = withMore(points, events)
  const lifetime = { ...row.lifetime, count: String(Number(row.lifetime.count) + events), lastSeen }
  return { ...row, count: String(Number(row.count) + events), lastSeen, stats, lifetime }
}

/** The selection after a shift-click: adds all rows from the anchor to the clicked row. */
export function selectTo(
  rows: readonly RestIssue[],
  selected: ReadonlySet<string>,
  anchor: string | null,
  id: string,
): Set<string> {
  const next = new Set(selected)
  const from = rows.findIndex((row) => row.id === anchor)
  const to = rows.findIndex((row) => row.id === id)
  if (to < 0) return next
  const start = from < 0 ? to : Math.min(from, to)
  for (const row of rows.slice(start, Math.max(from, to) + 1)) next.add(row.id)
  return next
}

/** Replaces rows in the pages by fresh ones, and returns the fresh rows that the pages lack, in order. */
export function mergeRows(
  pages: readonly Page[],
  fresh: readonly RestIssue[],
): { pages: Page[]; unknown: RestIssue[] } {
  const byId = new Map(fresh.map((row) => [row.id, row]))
  const merged = changeRows(pages, (row) => {
    const next = byId.get(row.id)
    byId.delete(row.id)
    return next ?? row
  })
  return { pages: merged, unknown: [...byId.values()] }
}
