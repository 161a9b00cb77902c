import type {
  ChannelFile,
  ConfigItem,
  DashboardFile,
  ProjectFile,
  QueryFile,
  ScheduleFile,
  ViewFile,
} from '../../contract/config-files.ts'
import { dashboardContent, newDashboardBody } from '../../contract/explore/dashboards.ts'
import { restPlan } from '../../contract/explore/explore.ts'
import { viewScopes } from '../../domain/view-scopes.ts'
import type { OnCallSchedule } from '../../store/meta/alerts/on-call.ts'
import type { AlertRule } from '../../store/meta/alerts/rules.ts'
import type { Dashboard } from '../../store/meta/dashboards/dashboards.ts'
import type { SavedQuery } from '../../store/meta/explore/saved-queries.ts'
import type { Channel } from '../../store/meta/issues/alerts.ts'
import type { SavedSearch } from '../../store/meta/issues/searches.ts'
import type { Project } from '../../store/meta/meta.ts'
import type { MetaWith } from '../../store/meta/meta-store.ts'
import {
  channelKey,
  columnNotes,
  dashboardKey,
  periodNotes,
  projectKey,
  queryKey,
  tileValue,
  viewKey,
} from '../config-files.ts'
import { alertKey, alertValue, type ReadsNames, type Receivers, readReceivers, scheduleKey } from './config-alerts.ts'

/** What the state of an organization is read from. */
type ReadsConfig = ReadsNames &
  MetaWith<
    | 'alertRules.listAlertRules'
    | 'projects.projectsOf'
    | 'projects.scrubSettings'
    | 'projects.groupingSettings'
    | 'projects.routeSettings'
    | 'artifacts.scrapeSettings'
    | 'projects.detectorSettings'
    | 'projects.filtersOf'
    | 'projects.ownershipOf'
    | 'dashboards.listDashboards'
    | 'issues.savedSearches'
    | 'alerts.channelsOf'
    | 'explore.savedQueriesOf'
    | 'trackers.mappingsOfProject'
  >

/** The rows behind items, for their changes. Of several with one key the oldest counts. */
type ConfigRows = {
  projects: Map<string, Project>
  dashboards: Map<string, Dashboard>
  views: Map<string, SavedSearch>
  queries: Map<string, SavedQuery>
  channels: Map<string, Channel>
  alerts: Map<string, AlertRule>
  schedules: Map<string, OnCallSchedule>
}
export type ConfigState = {
  items: ConfigItem[]
  rows: ConfigRows
  /** What rules and schedules refer to. */
  receivers: Receivers
  /** Keys of rules that no file can say. */
  unwritable: Set<string>
  /** What files leave out, in sentences. */
  notes: string[]
  /** Rules and shared things, also those whose name others have. Views by their list. */
  counts: { alert: number; schedule: number; query: number; dashboard: number; views: ReadonlyMap<string, number> }
  /** Slugs of all projects, also of Mishap's own. */
  slugs: Set<string>
}

async function projectValue(meta: ReadsConfig, project: Project): Promise<ProjectFile> {
  const { id, slug, name, platform, allowedOrigins, metricSeriesMax, switches } = project
  const scrub = await meta.projects.scrubSettings(id)
  const grouping = await meta.projects.groupingSettings(id)
  const routes = await meta.projects.routeSettings(id)
  const scrape = await meta.artifacts.scrapeSettings(id)
  const ownership = await meta.projects.ownershipOf(id)
  const mappings = await meta.trackers.mappingsOfProject(id)
  return {
    project: slug,
    name,
    platform,
    settings: {
      allowedDomains: allowedOrigins,
      dataScrubber: scrub.scrub,
      dataScrubberDefaults: scrub.scrubDefaults,
      scrubIPAddresses: scrub.scrubIpAddresses,
      sensitiveFields: scrub.sensitiveFields,
      safeFields: scrub.safeFields,
      routePatterns: routes.patterns,
      scrapeJavaScript: scrape.on,
      verifySSL: scrape.verifyTls,
      metricSeriesMax,
      ...switches,
    },
    detectors: await meta.projects.detectorSettings(id),
    filters: await meta.projects.filtersOf(id),
    grouping: { fingerprintingRules: grouping.fingerprintRules, groupingEnhancements: grouping.stackRules },
    ownership: { rules: ownership.text, autoAssignment: ownership.autoAssign },
    codeMappings: mappings.map(({ repository, stackRoot, sourceRoot, defaultBranch }) => ({
      repository,
      stackRoot,
      sourceRoot,
      defaultBranch,
    })),
  }
}

const slugOf = (projects: readonly Project[], id: string | number): string[] =>
  projects.filter((project) => project.id === Number(id)).map((project) => project.slug)

function dashboardValue({ title, content }: Dashboard, projects: readonly Project[]): DashboardFile {
  const { widgets, ...values } = dashboardContent.parse(JSON.parse(content))
  const read = newDashboardBody.shape.widgets.parse(widgets.map(tileValue))
  return { title, ...values, projects: values.projects.flatMap((id) => slugOf(projects, id)), widgets: read }
}

const viewValue = (view: SavedSearch, projects: readonly Project[]): ViewFile => ({
  scope: view.scope,
  name: view.name,
  query: view.query,
  sort: view.sort,
  projects: view.projects.flatMap((id) => slugOf(projects, id)),
  environments: view.environments,
  columns: view.columns,
  facets: view.facets,
  period: view.span,
})

const queryValue = (query: SavedQuery, projects: readonly Project[]): QueryFile => ({
  name: query.name,
  projects: query.projects.flatMap((id) => slugOf(projects, id)),
  environments: query.environments,
  period: query.span,
  plan: restPlan.parse(query.plan),
})

const channelValue = ({ name, projectId, active }: Channel, projects: readonly Project[]): ChannelFile => ({
  name,
  project: projectId === null ? null : (slugOf(projects, projectId)[0] ?? null),
  active,
})

function scheduleValue(schedule: OnCallSchedule, { person }: Receivers, notes: string[]): ScheduleFile {
  const { name, timeZone, handOverDay, handOverTime, startDate } = schedule
  const members = schedule.members.flatMap((id) => person.nameOf.get(id) ?? [])
  if (members.length < schedule.members.length)
    notes.push(`${scheduleKey(name)} names a member that is gone. Files leave it out.`)
  return { name, timeZone, handOverDay, handOverTime, startDate, members }
}

/** Rows by their key, the oldest first. Notes the keys that several have. */
const byKey = <Row extends { id: number }>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  notes: string[],
): Map<string, Row> => {
  const groups = Map.groupBy(
    [...rows].sort((a, b) => a.id - b.id),
    keyOf,
  )
  for (const [key, { length }] of groups)
    if (length > 1) notes.push(`There are ${length} of ${key}. Files describe the oldest one. Rename the others.`)
  return new Map([...groups].flatMap(([key, [oldest]]) => (oldest ? [[key, oldest] as const] : [])))
}

async function readRows(
  meta: ReadsConfig,
  organizationId: number,
  managed: readonly Project[],
  notes: string[],
): Promise<Pick<ConfigState, 'rows' | 'counts'>> {
  const boards = (await meta.dashboards.listDashboards(organizationId, '')).filter(({ shared }) => shared)
  const views = await Array.fromAsync(viewScopes, (scope) => meta.issues.savedSearches(organizationId, '', scope))
  const shared = views.flat().filter((view) => view.shared)
  const queries = (await meta.explore.savedQueriesOf(organizationId, '')).filter((query) => query.shared)
  const schedules = await meta.incidents.listSchedules(organizationId)
  const alerts = await meta.alertRules.listAlertRules(organizationId)
  const rows = {
    projects: byKey(managed, ({ slug }) => projectKey(slug), notes),
    dashboards: byKey(boards, ({ title }) => dashboardKey(title), notes),
    views: byKey(shared, viewKey, notes),
    queries: byKey(queries, ({ name }) => queryKey(name), notes),
    channels: byKey(await meta.alerts.channelsOf(organizationId), ({ name }) => channelKey(name), notes),
    schedules: byKey(schedules, ({ name }) => scheduleKey(name), notes),
    alerts: byKey(alerts, ({ name }) => alertKey(name), notes),
  }
  const counts = {
    alert: alerts.length,
    schedule: schedules.length,
    query: queries.length,
    dashboard: boards.length,
    views: new Map(viewScopes.map((scope, at) => [scope, views[at]?.filter((view) => view.shared).length ?? 0])),
  }
  return { rows, counts }
}

/** Everything of an organization that files can describe: shared things, no one's own ones, and no secrets. */
export async function readConfigState(
  meta: ReadsConfig,
  organizationId: number,
  selfSlug: string | undefined,
): Promise<ConfigState> {
  const notes: string[] = []
  const unwritable = new Set<string>()
  const projects = await meta.projects.projectsOf(organizationId)
  // Mishap's own project has fixed settings.
  const managed = projects.filter(({ slug }) => slug !== selfSlug)
  const { rows, counts } = await readRows(meta, organizationId, managed, notes)
  const receivers = await readReceivers(meta, organizationId)
  const items: ConfigItem[] = []
  for (const [key, project] of rows.projects)
    items.push({ key, kind: 'project', file: '', value: await projectValue(meta, project) })
  for (const [key, dashboard] of rows.dashboards)
    items.push({ key, kind: 'dashboard', file: '', value: dashboardValue(dashboard, projects) })
  for (const [key, view] of rows.views) items.push({ key, kind: 'view', file: '', value: viewValue(view, projects) })
  for (const [key, query] of rows.queries)
    items.push({ key, kind: 'query', file: '', value: queryValue(query, projects) })
  notes.push(...columnNotes(items), ...periodNotes(items))
  for (const [key, channel] of rows.channels)
    items.push({ key, kind: 'channel', file: '', value: channelValue(channel, projects) })
  for (const [key, schedule] of rows.schedules)
    items.push({ key, kind: 'schedule', file: '', value: scheduleValue(schedule, receivers, notes) })
  for (const [key, rule] of rows.alerts) {
    const described = alertValue(rule, projects, receivers)
    notes.push(...described.notes)
    if (!described.isWritable) unwritable.add(key)
    items.push({ key, kind: 'alert', file: '', value: described.value })
  }
  return { items, rows, counts, receivers, unwritable, notes, slugs: new Set(projects.map(({ slug }) => slug)) }
}
