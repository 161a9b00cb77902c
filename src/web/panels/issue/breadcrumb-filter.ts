import type { RestBreadcrumb } from '../../../contract/events.ts'

/** A breadcrumb's kind for the filter: its type, or the first part of its category for default types. */
export function kindOf(crumb: RestBreadcrumb): string {
  if (crumb.type && crumb.type !== 'default') return crumb.type
  return crumb.category?.split('.')[0] || 'default'
}

/** Kinds with their counts, most frequent first. */
export function kindsOf(crumbs: readonly RestBreadcrumb[]): { kind: string; count: number }[] {
  const counts = new Map<string, number>()
  for (const crumb of crumbs) counts.set(kindOf(crumb), (counts.get(kindOf(crumb)) ?? 0) + 1)
  return [...counts]
    .map(([kind, count]) => ({ kind, count }))
    .sort((a, b) => b.count - a.count || (a.kind < b.kind ? -1 : 1))
}

type Shown = { crumb: RestBreadcrumb; index: number }

/** The breadcrumbs of a kind ('' for all) whose text or data contains `text` (case-insensitive), in order. */
export function crumbsOf(crumbs: readonly RestBreadcrumb[], kind: string, text: string): Shown[] {
  const needle = text.trim().toLowerCase()
  return crumbs.flatMap((crumb, index) => {
    if (kind && kindOf(crumb) !== kind) return []
    if (!needle) return [{ crumb, index }]
    const all = `${crumb.category ?? ''} ${crumb.message ?? ''} ${crumb.level} ${crumb.data ? JSON.stringify(crumb.data) : ''}`
    return all.toLowerCase().includes(needle) ? [{ crumb, index }] : []
  })
}

/** Time between breadcrumb and event as text: `-1.25 s`, `-3 min`; `+` if the breadcrumb is later. */
export function offsetText(crumbAt: string | null, eventAt: string): string {
  const ms = Date.parse(crumbAt ?? '') - Date.parse(eventAt)
  if (!Number.isFinite(ms)) return ''
  const size = Math.abs(ms)
  const text =
    size < 1000
      ? `${Math.round(size)} ms`
      : size < 120_000
        ? `${Number((size / 1000).toPrecision(3))} s`
        : `${Math.round(size / 60_000)} min`
  return `${ms > 0 ? '+' : '-'}${text}`
}
