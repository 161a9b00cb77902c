import { MishapError } from '../../base/errors.ts'
import type { ConfigItem, ProjectFile, ViewFile } from '../../contract/config-files.ts'
import { isOldBrowser } from '../../domain/filters.ts'
import { hasColumns, viewScopes, viewSorts } from '../../domain/view-scopes.ts'
import { tilesOf } from '../../query/dashboards/dashboard-tiles.ts'
import type { CheckDeps } from '../../query/issues/issue.ts'
import { schedulesMax } from '../../store/meta/alerts/on-call.ts'
import { contentCharactersMax, dashboardsMax } from '../../store/meta/dashboards/dashboards.ts'
import { checkName } from '../../store/meta/database/names.ts'
import { planBytesMax, queriesMax } from '../../store/meta/explore/saved-queries.ts'
import { searchesMax } from '../../store/meta/issues/searches.ts'
import { validAlertRule } from '../alert-rules.ts'
import { leavesRepository } from '../code-mappings.ts'
import { dashboardKey, queryKey, viewKey } from '../config-files.ts'
import { demandOnCallSchedule } from '../on-call.ts'
import { ownershipErrors } from '../project-settings.ts'
import { alertBody, alertKey, changeFaults, memberIds, nameFaults, refusals, scheduleKey } from './config-alerts.ts'
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

/** Another view of the list, or another query, whose name the store takes for the same. A rename would come too late. */
function alikeOf({ key, kind }: ConfigItem, all: readonly ConfigItem[]): string | undefined {
  if (kind !== 'view' && kind !== 'query') return undefined
  return all.find((other) => other.key !== key && other.key.toLowerCase() === key.toLowerCase())?.key
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
    const alike = alikeOf(item, [...items, ...state.items])
    if (alike !== undefined)
      return [
        `${item.file}: ${item.key}: the name differs from that of ${alike} only in case. Write it alike, or choose another name.`,
      ]
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

/**
 * Throws VALIDATION if there would be more of something than an organization may have. Deletions come last, so they make
 * room only for rules, which change in one transaction.
 */
export function demandCounts(
  { config }: { config: { alertRulesMax: number } },
  state: ConfigState,
  changes: readonly { key: string; kind: ConfigItem['kind']; action: string }[],
): void {
  const { views, ...counts } = state.counts
  const limits = [
    { word: 'alert rules', prefix: alertKey(''), stored: counts.alert, max: config.alertRulesMax },
    { word: 'on-call schedules', prefix: scheduleKey(''), stored: counts.schedule, max: schedulesMax },
    { word: 'shared saved queries', prefix: queryKey(''), stored: counts.query, max: queriesMax },
    { word: 'shared dashboards', prefix: dashboardKey(''), stored: counts.dashboard, max: dashboardsMax },
    ...viewScopes.map((scope) => ({
      word: `shared views of ${scope}`,
      prefix: viewKey({ scope, name: '' }),
      stored: views.get(scope) ?? 0,
      max: searchesMax,
    })),
  ]
  for (const { word, prefix, stored, max } of limits) {
    const of = (action: 'create' | 'delete') =>
      changes.filter((change) => change.key.startsWith(prefix) && change.action === action).length
    const count = stored + of('create') - (prefix === alertKey('') ? of('delete') : 0)
    if (of('create') > 0 && count > max)
      throw new MishapError('VALIDATION', {
        detail: `There would be ${count} ${word}. At most ${max} are allowed. Delete some first.`,
      })
  }
}

/** What a project's file says and Mishap does not know. */
async function projectFaults(deps: CheckDeps, organizationId: number, value: ProjectFile): Promise<string[]> {
  const { filters, ownership, codeMappings = [] } = value
  const unknown = filters?.browsers?.find((name) => !isOldBrowser(name))
  const rules = ownership?.rules
  const wrong = rules === undefined ? [] : await ownershipErrors(deps, { organizationId }, rules)
  return [
    ...(unknown === undefined ? [] : [`${unknown} is no browser that the filter knows.`]),
    ...codeMappings.flatMap(({ sourceRoot }) =>
      leavesRepository(sourceRoot) ? ['codeMappings: a sourceRoot is a path without "..".'] : [],
    ),
    ...wrong.map(({ line, sentence }) => `ownership.rules, line ${line}: ${sentence}`),
  ]
}

function viewFaults({ scope, sort, columns, facets }: ViewFile): string[] {
  const isSort = sort === '' || viewSorts[scope].includes(sort)
  return [
    ...(isSort ? [] : [`sort is one of ${viewSorts[scope].join(', ')}.`]),
    ...(columns.length === 0 || hasColumns(scope) ? [] : ['only a view of logs has columns.']),
    ...(facets.length === 0 || hasColumns(scope) ? [] : ['only a view of logs has facets.']),
  ]
}

/** Values that no store would refuse in time: what stands before them would be applied. Throws VALIDATION. */
export async function demandValues(
  deps: CheckDeps,
  organizationId: number,
  items: readonly ConfigItem[],
): Promise<void> {
  const faultsOf = async (item: ConfigItem): Promise<string[]> => {
    if (item.kind === 'view') return viewFaults(item.value)
    if (item.kind === 'project') return projectFaults(deps, organizationId, item.value)
    if (item.kind === 'query')
      return Buffer.byteLength(JSON.stringify(item.value.plan)) > planBytesMax
        ? [`the plan is over ${planBytesMax / 1024} KiB. Remove series or shorten their filters.`]
        : []
    if (item.kind === 'dashboard')
      return JSON.stringify({ ...item.value, widgets: tilesOf(item.value.widgets, []) }).length > contentCharactersMax
        ? [`the tiles are over ${contentCharactersMax / 1024} KiB. Split the dashboard.`]
        : []
    return []
  }
  const faults = await Array.fromAsync(items, async (item) =>
    (await faultsOf(item)).map((fault) => `${item.file}: ${item.key}: ${fault}`),
  )
  const detail = faults.flat().join('\n')
  if (detail !== '') throw new MishapError('VALIDATION', { detail })
}
