import { createHash } from 'node:crypto'
import { MishapError } from '../base/errors.ts'
import type {
  AlertFile,
  ConfigItem,
  DashboardFile,
  ProjectFile,
  QueryFile,
  ScheduleFile,
  ViewFile,
} from '../contract/config-files.ts'
import type { DashboardContent } from '../contract/explore/dashboards.ts'
import { isOldBrowser } from '../domain/filters.ts'
import { lineDiff } from '../domain/line-diff.ts'
import { viewSorts } from '../domain/view-scopes.ts'
import { tilesOf } from '../query/dashboards/dashboard-tiles.ts'
import type { CheckDeps } from '../query/issues/issue.ts'
import { selfProject } from '../query/self-project.ts'
import type { AlertRuleChanges } from '../store/meta/alerts/rules.ts'
import type { Organization, ProjectChange } from '../store/meta/meta.ts'
import { validAlertRule } from './alert-rules.ts'
import { setCodeMappings } from './code-mappings.ts'
import { alertBody, memberIds, readReceivers } from './config/config-alerts.ts'
import { demandAlerts, demandCounts, demandNames, demandValues } from './config/config-checks.ts'
import { type ConfigState, readConfigState } from './config/config-state.ts'
import {
  type ConfigFiles,
  columnNotes,
  periodNotes,
  printed,
  readConfigFiles,
  toYaml,
  writeConfigFiles,
} from './config-files.ts'
import { createDashboard, deleteDashboard, updateDashboard } from './dashboards.ts'
import { createOnCallSchedule, deleteOnCallSchedule, updateOnCallSchedule } from './on-call.ts'
import { createProject } from './projects.ts'
import { createSavedQuery, deleteSavedQuery, updateSavedQuery } from './saved-queries.ts'
import { createSearch, deleteSearch, updateSearch } from './saved-searches.ts'

type Deps = CheckDeps & {
  config: { alertRulesMax: number }
  publishKeys(): Promise<void>
}

/** One difference between files and an organization. */
export type ConfigChange = {
  action: 'create' | 'change' | 'delete'
  key: string
  kind: ConfigItem['kind']
  file: string
  /** Changed in Mishap since the last `mishap apply`. */
  drift: boolean
  /** What changes, as lines with `-` and `+`. */
  diff: string[]
}
export type ConfigPlan = {
  changes: ConfigChange[]
  /** Things of Mishap that no file describes. Only `--prune` deletes them. */
  unmanaged: string[]
  /** What files cannot say, in sentences. */
  notes: string[]
}

/** What apply remembers: a hash of each item as it was applied. */
const appliedValue = (organizationId: number) => `config_applied:${organizationId}`
const hashOf = (value: unknown) => createHash('sha256').update(toYaml(value)).digest('hex').slice(0, 32)

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A value of a file over the current one: keys that the file leaves out keep their value, and their order. */
function over(current: unknown, wanted: unknown): unknown {
  if (!isRecord(current) || !isRecord(wanted)) return wanted === undefined ? current : wanted
  const merged = Object.keys(current).map((key) => [key, over(current[key], wanted[key])])
  const added = Object.entries(wanted).filter(([key, value]) => !(key in current) && value !== undefined)
  return Object.fromEntries([...merged, ...added])
}

/** The value that an item has after apply. Only files of projects may leave something out. */
function resultOf(item: ConfigItem, current: unknown): unknown {
  if (item.kind === 'project') return printed({ ...item, value: over(current, item.value) as ProjectFile })
  // The order of keys is the one of the current value, so that the diff shows only what changes.
  return ordered(current, printed(item))
}

function ordered(current: unknown, wanted: unknown): unknown {
  if (Array.isArray(current) && Array.isArray(wanted)) return wanted.map((value, at) => ordered(current[at], value))
  if (!isRecord(current) || !isRecord(wanted)) return wanted
  const keys = [...Object.keys(current).filter((key) => key in wanted), ...Object.keys(wanted)]
  return Object.fromEntries([...new Set(keys)].map((key) => [key, ordered(current[key], wanted[key])]))
}

async function organizationOf({ meta }: Deps, slug: string): Promise<Organization> {
  const organization = await meta.organizations.organizationBySlug(slug)
  if (!organization) throw new MishapError('NOT_FOUND', { detail: `There is no organization ${slug.slice(0, 60)}.` })
  return organization
}

async function stateOf(deps: Deps, organization: Organization): Promise<ConfigState> {
  const self = await selfProject(deps.meta, organization.id)
  return readConfigState(deps.meta, organization.id, self?.slug)
}

/** What `--prune` deletes. Projects hold data, and channels secrets. */
const prunedKinds: ReadonlySet<ConfigItem['kind']> = new Set(['dashboard', 'view', 'query', 'alert', 'schedule'])

type Compared = { plan: ConfigPlan; wanted: ConfigItem[]; state: ConfigState; applied: Record<string, string> }

async function compare(
  deps: Deps,
  organization: Organization,
  files: ConfigFiles,
  isPruned: boolean,
): Promise<Compared> {
  const wanted = readConfigFiles(files)
  const state = await stateOf(deps, organization)
  demandNames(wanted, state, isPruned)
  await demandValues(deps, organization.id, wanted)
  const text = await deps.meta.values.getValue(appliedValue(organization.id))
  const applied = text === undefined ? {} : (JSON.parse(text) as Record<string, string>)
  const current = new Map(state.items.map((item) => [item.key, printed(item)]))
  const isDrifted = (key: string) => {
    const value = current.get(key)
    return applied[key] !== undefined && (value === undefined || applied[key] !== hashOf(value))
  }
  const changes = wanted.flatMap((item): ConfigChange[] => {
    const before = current.get(item.key)
    const [old, next] = [before === undefined ? '' : toYaml(before), toYaml(resultOf(item, before))]
    if (old === next) return []
    const action = before === undefined ? 'create' : 'change'
    const { key, kind, file } = item
    return [{ action, key, kind, file, drift: isDrifted(key), diff: lineDiff(old, next) }]
  })
  const named = new Set(wanted.map(({ key }) => key))
  const others = state.items.filter(({ key, kind }) => !named.has(key) && prunedKinds.has(kind))
  // What no file can say, such as a rule whose projects were deleted, is missing in each export: that is no wish.
  const kept = isPruned ? others.filter(({ key }) => state.unwritable.has(key)) : others
  const deletions = others
    .filter((item) => !kept.includes(item))
    .map(
      (item): ConfigChange => ({
        action: 'delete',
        key: item.key,
        kind: item.kind,
        file: '',
        drift: isDrifted(item.key),
        diff: lineDiff(toYaml(printed(item)), ''),
      }),
    )
  const planned = [...changes, ...deletions]
  const changed = new Set(changes.map(({ key }) => key))
  const different = wanted.filter(({ key }) => changed.has(key))
  await demandAlerts(deps, organization.id, different, state)
  demandCounts(deps, state, planned)
  return {
    plan: {
      changes: planned,
      unmanaged: kept.map(({ key }) => key),
      notes: [...new Set([...state.notes, ...columnNotes(wanted), ...periodNotes(wanted)])],
    },
    wanted,
    state,
    applied,
  }
}

/** The files of an organization, and what they cannot say, in sentences. Throws NOT_FOUND. */
export async function exportConfig(
  deps: Deps,
  slug: string,
): Promise<{ files: Record<string, string>; notes: string[] }> {
  const { items, unwritable, notes } = await stateOf(deps, await organizationOf(deps, slug))
  return { files: writeConfigFiles(items.filter(({ key }) => !unwritable.has(key))), notes }
}

/** What `applyConfig` would change. Throws NOT_FOUND, VALIDATION that names file and line. */
export async function planConfig(deps: Deps, slug: string, files: ConfigFiles, isPruned: boolean): Promise<ConfigPlan> {
  return (await compare(deps, await organizationOf(deps, slug), files, isPruned)).plan
}

// ---- apply

type Applying = { deps: Deps; organization: Organization; userId: string; state: ConfigState; ids: Map<string, number> }

/** The fields of a project's file as a change of the store. */
function projectChange({ name, platform, settings = {}, detectors, filters, grouping }: ProjectFile): ProjectChange {
  const { dataScrubber, dataScrubberDefaults, scrubIPAddresses, allowedDomains, scrapeJavaScript, verifySSL, ...same } =
    settings
  const { browsers, ...patterns } = filters ?? {}
  const change: { [Name in keyof ProjectChange]: ProjectChange[Name] | undefined } = {
    name,
    platform,
    ...same,
    allowedOrigins: allowedDomains,
    scrub: dataScrubber,
    scrubDefaults: dataScrubberDefaults,
    scrubIpAddresses: scrubIPAddresses,
    scrape: scrapeJavaScript,
    scrapeTls: verifySSL,
    detectors: detectors as ProjectChange['detectors'],
    filters: filters
      ? (Object.fromEntries(
          Object.entries({ ...patterns, browsers: browsers?.filter(isOldBrowser) }).filter(
            ([, value]) => value !== undefined,
          ),
        ) as NonNullable<ProjectChange['filters']>)
      : undefined,
    fingerprintRules: grouping?.fingerprintingRules,
    stackRules: grouping?.groupingEnhancements,
  }
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
}

async function applyProject({ deps, organization, userId, ids }: Applying, value: ProjectFile): Promise<void> {
  const { meta, clock } = deps
  let id = ids.get(value.project)
  if (id === undefined) {
    const name = value.name ?? value.project
    const created = await createProject(deps, {
      organizationId: organization.id,
      slug: value.project,
      name,
      platform: value.platform ?? null,
    })
    id = created.id
    ids.set(value.project, id)
  }
  await meta.projects.updateProject(id, projectChange(value), { userId })
  const project = value.codeMappings && (await meta.projects.projectById(id))
  if (project) await setCodeMappings(deps, project, value.codeMappings ?? [])
  const { rules, autoAssignment } = value.ownership ?? {}
  if (rules === undefined && autoAssignment === undefined) return
  const change = {
    ...(rules === undefined ? {} : { text: rules }),
    ...(autoAssignment === undefined ? {} : { autoAssign: autoAssignment }),
  }
  await meta.projects.setOwnership(id, change, { userId }, clock.now())
}

const idsOf = (ids: Map<string, number>, slugs: readonly string[]): number[] =>
  slugs.flatMap((slug) => ids.get(slug) ?? [])

async function applyDashboard({ deps, organization, userId, state, ids }: Applying, key: string, value: DashboardFile) {
  const { title, widgets, projects, ...values } = value
  const content: DashboardContent = { ...values, widgets: tilesOf(widgets, []), projects: idsOf(ids, projects) }
  const row = state.rows.dashboards.get(key)
  if (row) await updateDashboard(deps, row.id, { title, content }, userId)
  else await createDashboard(deps, { organizationId: organization.id, userId }, { title, shared: true, content })
}

async function applyView({ deps, organization, userId, state, ids }: Applying, key: string, value: ViewFile) {
  const { scope, name, query, environments, columns, facets, period } = value
  const sort = value.sort === '' ? (viewSorts[scope][0] ?? '') : value.sort
  const projects = idsOf(ids, value.projects).map(String)
  const view = { name, query, sort, environments, columns, facets, span: period, projects }
  const row = state.rows.views.get(key)
  if (row) await updateSearch(deps, row.id, view)
  else await createSearch(deps, { organizationId: organization.id, scope, userId, shared: true, ...view })
}

async function applyQuery({ deps, organization, userId, state, ids }: Applying, key: string, value: QueryFile) {
  const { name, plan, environments, period } = value
  const query = { name, plan, environments, span: period, projects: idsOf(ids, value.projects).map(String) }
  const row = state.rows.queries.get(key)
  if (row) await updateSavedQuery(deps, row.id, query)
  else await createSavedQuery(deps, { organizationId: organization.id, userId, shared: true, ...query })
}

async function applyItem(applying: Applying, item: ConfigItem): Promise<void> {
  const { deps, state, ids } = applying
  if (item.kind === 'project') await applyProject(applying, item.value)
  else if (item.kind === 'dashboard') await applyDashboard(applying, item.key, item.value)
  else if (item.kind === 'view') await applyView(applying, item.key, item.value)
  else if (item.kind === 'query') await applyQuery(applying, item.key, item.value)
  else if (item.kind === 'schedule') await applySchedule(applying, item.key, item.value)
  else if (item.kind === 'channel') {
    const row = state.rows.channels.get(item.key)
    const { project, active } = item.value
    const projectId = project === null ? null : (ids.get(project) ?? null)
    if (row) await deps.meta.alerts.updateChannel(row.id, { active, projectId })
  }
}

async function applySchedule({ deps, organization, userId, state }: Applying, key: string, value: ScheduleFile) {
  const schedule = { ...value, members: memberIds(value, state.receivers) }
  const row = state.rows.schedules.get(key)
  if (row) await updateOnCallSchedule(deps, row, { ...schedule, revision: row.rev }, userId)
  else await createOnCallSchedule(deps, organization.id, schedule)
}

/** The rows of rules of files. What a file does not say, such as a mute, stays. */
async function alertRows({ deps, organization, state }: Applying, items: readonly ConfigItem[]) {
  // Schedules have just been created.
  const receivers = await readReceivers(deps.meta, organization.id)
  return Array.fromAsync(items, async ({ key, value }) => {
    const { body, kept } = alertBody(value as AlertFile, receivers)
    const row = state.rows.alerts.get(key)
    const values = await validAlertRule(deps, organization.id, body, kept)
    return { row, values: { ...values, mutedUntilMs: row?.mutedUntilMs ?? null } }
  })
}

/** Makes all changes of alert rules in one transaction. Throws CONFLICT for a rule that has changed since the plan. */
async function applyAlerts(
  applying: Applying,
  items: readonly ConfigItem[],
  deleted: readonly string[],
): Promise<void> {
  const { deps, organization, userId, state } = applying
  const rows = await alertRows(applying, items)
  const changes: AlertRuleChanges = {
    organizationId: organization.id,
    userId,
    max: deps.config.alertRulesMax,
    created: rows.flatMap(({ row, values }) => (row ? [] : [values])),
    changed: rows.flatMap(({ row, values }) => (row ? [{ id: row.id, rev: row.rev, values }] : [])),
    deleted: deleted.flatMap((key) => state.rows.alerts.get(key) ?? []),
  }
  await deps.meta.alertRules.changeAlertRules(changes)
}

async function deleteItem({ deps, state }: Applying, key: string): Promise<void> {
  const { dashboards, views, queries } = state.rows
  const [dashboard, view, query] = [dashboards.get(key), views.get(key), queries.get(key)]
  const schedule = state.rows.schedules.get(key)
  if (schedule) await deleteOnCallSchedule(deps, schedule.id)
  if (dashboard) await deleteDashboard(deps, dashboard.id)
  if (view) await deleteSearch(deps, view.id)
  if (query) await deleteSavedQuery(deps, query.id)
}

/**
 * Makes an organization what the files say, and returns what it changed. Changes run in the order projects, then the
 * rest, each in one transaction, then all alert rules together. Throws VALIDATION that names what was wrong, and CONFLICT
 * for a rule or schedule that somebody changed meanwhile: what came before it is applied, and a second apply does the
 * rest. Applied twice, the second changes nothing.
 */
export async function applyConfig(
  deps: Deps,
  slug: string,
  files: ConfigFiles,
  isPruned: boolean,
): Promise<ConfigPlan> {
  const organization = await organizationOf(deps, slug)
  const { plan, wanted, state, applied } = await compare(deps, organization, files, isPruned)
  const owner = (await deps.meta.organizations.membersOf(organization.id)).find(({ role }) => role === 'owner')
  if (!owner) throw new MishapError('NOT_FOUND', { detail: 'The organization has no owner.' })
  const projects = await deps.meta.projects.projectsOf(organization.id)
  const ids = new Map(projects.map((project) => [project.slug, project.id]))
  const applying: Applying = { deps, organization, userId: owner.userId, state, ids }
  const changed = new Set(plan.changes.map(({ key }) => key))
  const inOrder = [...wanted].sort((a, b) => Number(a.kind !== 'project') - Number(b.kind !== 'project'))
  for (const item of inOrder) if (changed.has(item.key)) await applyItem(applying, item)
  const alerts = wanted.filter(({ kind, key }) => kind === 'alert' && changed.has(key))
  await applyAlerts(
    applying,
    alerts,
    plan.changes.flatMap(({ action, key }) => (action === 'delete' ? [key] : [])),
  )
  for (const { action, key } of plan.changes) if (action === 'delete') await deleteItem(applying, key)
  if (wanted.some(({ kind }) => kind === 'project')) await deps.publishKeys()
  const after = (await stateOf(deps, organization)).items
  const managed = new Set(wanted.map(({ key }) => key))
  const hashes = after.filter(({ key }) => managed.has(key)).map((item) => [item.key, hashOf(printed(item))])
  const kept = Object.entries(applied).filter(([key]) => after.some((item) => item.key === key))
  await deps.meta.values.setValue(
    appliedValue(organization.id),
    JSON.stringify({ ...Object.fromEntries(kept), ...Object.fromEntries(hashes) }),
  )
  return plan
}
