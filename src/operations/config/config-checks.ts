import { MishapError } from '../../base/errors.ts'
import type { ConfigItem } from '../../contract/config-files.ts'
import { isOldBrowser } from '../../domain/filters.ts'
import { hasColumns, viewSorts } from '../../domain/view-scopes.ts'
import type { CheckDeps } from '../../query/issues/issue.ts'
import { schedulesMax } from '../../store/meta/alerts/on-call.ts'
import { checkName } from '../../store/meta/database/names.ts'
import { planBytesMax, queriesMax } from '../../store/meta/explore/saved-queries.ts'
import { validAlertRule } from '../alert-rules.ts'
import { leavesRepository } from '../code-mappings.ts'
import { demandOnCallSchedule } from '../on-call.ts'
import { ownershipErrors } from '../project-settings.ts'
import { alertBody, changeFaults, memberIds, nameFaults, refusals } from './config-alerts.ts'
import type { ConfigState } from './config-state.ts'

// What a plan refuses before anything is applied.

/** The projects that an item names. */
function projectsIn(item: ConfigItem): readonly string[] {
  if (item.kind === 'channel') return item.value.project === null ? [] : [item.value.project]
  return item.kind === 'project' || item.kind === 'schedule' ? [] : item.value.projects
}

/**
 * Keys of the on-call schedules after an apply. With `isPruned` they are those of the files: a rule must not name one
 * that the same apply deletes.
 */
function schedulesAfter(items: readonly ConfigItem[], state: ConfigState, isPruned: boolean): Set<string> {
  const all = isPruned ? items : [...items, ...state.items]
  return new Set(all.flatMap(({ kind, key }) => (kind === 'schedule' ? [key] : [])))
}

/** What items name and what is neither there nor in the files. Throws VALIDATION. */
export function demandNames(items: readonly ConfigItem[], state: ConfigState, isPruned: boolean): void {
  const slugs = new Set(items.flatMap((item) => (item.kind === 'project' ? [item.value.project] : [])))
  const schedules = schedulesAfter(items, state, isPruned)
  const faults = items.flatMap((item) => {
    const missing = projectsIn(item).find((slug) => !slugs.has(slug) && !state.slugs.has(slug))
    if (missing !== undefined) return [`${item.file}: ${item.key} names the project ${missing}, which does not exist.`]
    if (item.kind === 'channel' && !state.rows.channels.has(item.key))
      return [`${item.file}: there is no ${item.key}. Its address is a secret: create it on the screen.`]
    return nameFaults(item, state.receivers, schedules).map((fault) => `${item.file}: ${item.key}: ${fault}`)
  })
  if (faults.length > 0) throw new MishapError('VALIDATION', { detail: faults.join('\n') })
}

/** What the checks of screens and API refuse in rules and schedules that would change. Throws VALIDATION. */
export async function demandAlerts(
  deps: CheckDeps,
  organizationId: number,
  items: readonly ConfigItem[],
  state: ConfigState,
): Promise<void> {
  const current = new Map(state.items.map((item) => [item.key, item]))
  const faults = await Array.fromAsync(items, async (item): Promise<string[]> => {
    const found: string[] = []
    try {
      if (item.kind === 'alert') {
        const old = current.get(item.key)
        found.push(...changeFaults(item, old?.kind === 'alert' ? old.value : undefined))
        const { body, kept } = alertBody(item.value, state.receivers)
        // Projects that this apply creates cannot be asked yet.
        const projects = body.projects.filter((slug) => state.slugs.has(slug))
        await validAlertRule(deps, organizationId, { ...body, projects }, kept)
      } else if (item.kind === 'schedule') {
        checkName(item.value.name)
        const members = memberIds(item.value, state.receivers)
        await demandOnCallSchedule(deps, organizationId, { ...item.value, members })
      }
    } catch (error) {
      found.push(...refusals(error))
    }
    return found.map((fault) => `${item.file}: ${item.key}: ${fault}`)
  })
  const detail = faults.flat().join('\n')
  if (detail !== '') throw new MishapError('VALIDATION', { detail })
}

/** Throws VALIDATION if there would be more rules, schedules or queries than an organization may have. */
export function demandCounts(
  { config }: { config: { alertRulesMax: number } },
  state: ConfigState,
  changes: readonly { kind: ConfigItem['kind']; action: string }[],
): void {
  for (const [word, kind, max] of [
    ['alert rules', 'alert', config.alertRulesMax],
    ['on-call schedules', 'schedule', schedulesMax],
    ['shared saved queries', 'query', queriesMax],
  ] as const) {
    const of = (action: 'create' | 'delete') =>
      changes.filter((change) => change.kind === kind && change.action === action).length
    const count = state.counts[kind] + of('create') - of('delete')
    if (of('create') > 0 && count > max)
      throw new MishapError('VALIDATION', { detail: `There would be ${count} ${word}. At most ${max} are allowed.` })
  }
}

/** Values that no store would refuse in time: what stands before them would be applied. Throws VALIDATION. */
export async function demandValues(
  deps: CheckDeps,
  organizationId: number,
  items: readonly ConfigItem[],
): Promise<void> {
  const faults = await Array.fromAsync(items, async (item): Promise<string[]> => {
    if (item.kind === 'view') {
      const { scope, sort, columns, facets } = item.value
      const isSort = sort === '' || viewSorts[scope].includes(sort)
      return [
        ...(isSort ? [] : [`${item.key}: sort is one of ${viewSorts[scope].join(', ')}.`]),
        ...(columns.length === 0 || hasColumns(scope) ? [] : [`${item.key}: only a view of logs has columns.`]),
        ...(facets.length === 0 || hasColumns(scope) ? [] : [`${item.key}: only a view of logs has facets.`]),
      ]
    }
    if (item.kind === 'query')
      return Buffer.byteLength(JSON.stringify(item.value.plan)) > planBytesMax
        ? [`${item.key}: the plan is over ${planBytesMax / 1024} KiB.`]
        : []
    if (item.kind !== 'project') return []
    const { filters, ownership, codeMappings = [] } = item.value
    const unknown = filters?.browsers?.find((name) => !isOldBrowser(name))
    const rules = ownership?.rules
    const wrong = rules === undefined ? [] : await ownershipErrors(deps, { organizationId }, rules)
    return [
      ...(unknown === undefined ? [] : [`${unknown} is no browser that the filter knows.`]),
      ...codeMappings.flatMap(({ sourceRoot }) =>
        leavesRepository(sourceRoot) ? [`${item.key}: codeMappings: a sourceRoot is a path without "..".`] : [],
      ),
      ...wrong.map(({ line, sentence }) => `ownership.rules, line ${line}: ${sentence}`),
    ]
  })
  const detail = faults.flat().join('\n')
  if (detail !== '') throw new MishapError('VALIDATION', { detail })
}
