import { createHash } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import type { ConfigItem, DashboardFile, ProjectFile, ViewFile } from '../contract/config-files.ts'
import type { DashboardContent } from '../contract/dashboards.ts'
import { isOldBrowser } from '../domain/filters.ts'
import { lineDiff } from '../domain/line-diff.ts'
import { viewSorts } from '../domain/view-scopes.ts'
import { tilesOf } from '../query/dashboard-tiles.ts'
import { type FindsSelf, selfProject } from '../query/self-project.ts'
import type { Organization, ProjectChange } from '../store/meta/meta.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'
import { type ConfigFiles, printed, readConfigFiles, toYaml, writeConfigFiles } from './config-files.ts'
import { type ConfigState, type ReadsConfig, readConfigState } from './config-state.ts'
import { createDashboard, deleteDashboard, updateDashboard } from './dashboards.ts'
import { ownershipErrors } from './project-settings.ts'
import { type AddsProjects, createProject } from './projects.ts'
import { createSearch, deleteSearch, updateSearch } from './saved-searches.ts'

type Deps = {
  meta: ReadsConfig &
    FindsSelf &
    AddsProjects &
    MetaWith<
      | 'organizations.organizationBySlug'
      | 'organizations.membersOf'
      | 'organizations.memberOf'
      | 'people.personByEmail'
      | 'projects.updateProject'
      | 'projects.setOwnership'
      | 'dashboards.createDashboard'
      | 'dashboards.updateDashboard'
      | 'dashboards.deleteDashboard'
      | 'issues.saveSearch'
      | 'issues.updateSearch'
      | 'issues.deleteSearch'
      | 'alerts.updateChannel'
      | 'values.getValue'
      | 'values.setValue'
    >
  clock: Pick<Clock, 'now'>
  publishKeys(): Promise<void>
}

/** One difference between files and an organization. */
export type ConfigChange = {
  action: 'create' | 'change' | 'delete'
  key: string
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
  if (item.kind === 'project') return over(current, item.value)
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

/** Projects that items name and that neither exist nor are in the files. Throws VALIDATION. */
function demandProjects(items: readonly ConfigItem[], state: ConfigState): void {
  const slugs = new Set(
    [...items, ...state.items].flatMap((item) => (item.kind === 'project' ? [item.value.project] : [])),
  )
  const faults = items.flatMap((item) => {
    const named =
      item.kind === 'channel'
        ? item.value.project === null
          ? []
          : [item.value.project]
        : item.kind === 'project'
          ? []
          : item.value.projects
    const missing = named.find((slug) => !slugs.has(slug))
    if (missing !== undefined) return [`${item.file}: ${item.key} names the project ${missing}, which does not exist.`]
    if (item.kind === 'channel' && !state.rows.channels.has(item.key))
      return [`${item.file}: there is no ${item.key}. Its address is a secret: create it on the screen.`]
    return []
  })
  if (faults.length > 0) throw new MishapError('VALIDATION', { detail: faults.join('\n') })
}

/** Values that no store would refuse in time: what stands before them would be applied. Throws VALIDATION. */
async function demandValues(deps: Deps, organizationId: number, items: readonly ConfigItem[]): Promise<void> {
  const faults = await Array.fromAsync(items, async (item): Promise<string[]> => {
    if (item.kind === 'view') {
      const { scope, sort } = item.value
      if (sort === '' || viewSorts[scope].includes(sort)) return []
      return [`${item.key}: sort is one of ${viewSorts[scope].join(', ')}.`]
    }
    if (item.kind !== 'project') return []
    const { filters, ownership } = item.value
    const unknown = filters?.browsers?.find((name) => !isOldBrowser(name))
    const rules = ownership?.rules
    const wrong = rules === undefined ? [] : await ownershipErrors(deps, { organizationId }, rules)
    return [
      ...(unknown === undefined ? [] : [`${unknown} is no browser that the filter knows.`]),
      ...wrong.map(({ line, sentence }) => `ownership.rules, line ${line}: ${sentence}`),
    ]
  })
  const detail = faults.flat().join('\n')
  if (detail !== '') throw new MishapError('VALIDATION', { detail })
}

type Compared = { plan: ConfigPlan; wanted: ConfigItem[]; state: ConfigState; applied: Record<string, string> }

async function compare(
  deps: Deps,
  organization: Organization,
  files: ConfigFiles,
  isPruned: boolean,
): Promise<Compared> {
  const wanted = readConfigFiles(files)
  const state = await stateOf(deps, organization)
  demandProjects(wanted, state)
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
    return [{ action, key: item.key, file: item.file, drift: isDrifted(item.key), diff: lineDiff(old, next) }]
  })
  const named = new Set(wanted.map(({ key }) => key))
  const others = state.items.filter(({ key, kind }) => !named.has(key) && (kind === 'dashboard' || kind === 'view'))
  const deletions = others.map(
    (item): ConfigChange => ({
      action: 'delete',
      key: item.key,
      file: '',
      drift: isDrifted(item.key),
      diff: lineDiff(toYaml(printed(item)), ''),
    }),
  )
  return {
    plan: {
      changes: isPruned ? [...changes, ...deletions] : changes,
      unmanaged: isPruned ? [] : others.map(({ key }) => key),
    },
    wanted,
    state,
    applied,
  }
}

/** The files of an organization. Throws NOT_FOUND. */
export async function exportConfig(deps: Deps, slug: string): Promise<Record<string, string>> {
  const organization = await organizationOf(deps, slug)
  return writeConfigFiles((await stateOf(deps, organization)).items)
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
  const { scope, name, query, environments, period } = value
  const sort = value.sort === '' ? (viewSorts[scope][0] ?? '') : value.sort
  const view = { name, query, sort, environments, span: period, projects: idsOf(ids, value.projects).map(String) }
  const row = state.rows.views.get(key)
  if (row) await updateSearch(deps, row.id, view)
  else await createSearch(deps, { organizationId: organization.id, scope, userId, shared: true, ...view })
}

async function applyItem(applying: Applying, item: ConfigItem): Promise<void> {
  const { deps, state, ids } = applying
  if (item.kind === 'project') await applyProject(applying, item.value)
  else if (item.kind === 'dashboard') await applyDashboard(applying, item.key, item.value)
  else if (item.kind === 'view') await applyView(applying, item.key, item.value)
  else {
    const row = state.rows.channels.get(item.key)
    const { project, active } = item.value
    const projectId = project === null ? null : (ids.get(project) ?? null)
    if (row) await deps.meta.alerts.updateChannel(row.id, { active, projectId })
  }
}

async function deleteItem({ deps, state }: Applying, key: string): Promise<void> {
  const [dashboard, view] = [state.rows.dashboards.get(key), state.rows.views.get(key)]
  if (dashboard) await deleteDashboard(deps, dashboard.id)
  if (view) await deleteSearch(deps, view.id)
}

/**
 * Makes an organization what the files say, and returns what it changed. Changes run in the order projects, then the
 * rest; each is one transaction. Throws VALIDATION that names what was wrong: what came before it is applied, and a
 * second apply does the rest. Applied twice, the second changes nothing.
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
