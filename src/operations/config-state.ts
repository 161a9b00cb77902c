import type { ChannelFile, ConfigItem, DashboardFile, ProjectFile, ViewFile } from '../contract/config-files.ts'
import { dashboardContent, newDashboardBody } from '../contract/dashboards.ts'
import { viewScopes } from '../domain/view-scopes.ts'
import type { Dashboard } from '../store/meta/dashboards/dashboards.ts'
import type { Channel } from '../store/meta/issues/alerts.ts'
import type { SavedSearch } from '../store/meta/issues/searches.ts'
import type { Project } from '../store/meta/meta.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'
import { channelKey, dashboardKey, projectKey, tileValue, viewKey } from './config-files.ts'

/** What the state of an organization is read from. */
export type ReadsConfig = MetaWith<
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
>

/** The rows behind items, for their changes. Of several with one key the oldest counts. */
type ConfigRows = {
  projects: Map<string, Project>
  dashboards: Map<string, Dashboard>
  views: Map<string, SavedSearch>
  channels: Map<string, Channel>
}
export type ConfigState = { items: ConfigItem[]; rows: ConfigRows }

async function projectValue(meta: ReadsConfig, project: Project): Promise<ProjectFile> {
  const { id, slug, name, platform, allowedOrigins, switches } = project
  const scrub = await meta.projects.scrubSettings(id)
  const grouping = await meta.projects.groupingSettings(id)
  const routes = await meta.projects.routeSettings(id)
  const scrape = await meta.artifacts.scrapeSettings(id)
  const ownership = await meta.projects.ownershipOf(id)
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
      ...switches,
    },
    detectors: await meta.projects.detectorSettings(id),
    filters: await meta.projects.filtersOf(id),
    grouping: { fingerprintingRules: grouping.fingerprintRules, groupingEnhancements: grouping.stackRules },
    ownership: { rules: ownership.text, autoAssignment: ownership.autoAssign },
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
  period: view.span,
})

const channelValue = ({ name, projectId, active }: Channel, projects: readonly Project[]): ChannelFile => ({
  name,
  project: projectId === null ? null : (slugOf(projects, projectId)[0] ?? null),
  active,
})

/** Rows by their key, the oldest first. */
const byKey = <Row extends { id: number }>(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, Row> => {
  const found = new Map<string, Row>()
  for (const row of [...rows].sort((a, b) => a.id - b.id)) if (!found.has(keyOf(row))) found.set(keyOf(row), row)
  return found
}

/** Everything of an organization that files can describe: shared things, no one's own ones, and no secrets. */
export async function readConfigState(
  meta: ReadsConfig,
  organizationId: number,
  selfSlug: string | undefined,
): Promise<ConfigState> {
  const projects = await meta.projects.projectsOf(organizationId)
  // Mishap's own project has fixed settings.
  const managed = projects.filter(({ slug }) => slug !== selfSlug)
  const boards = (await meta.dashboards.listDashboards(organizationId, '')).filter(({ shared }) => shared)
  const views = await Array.fromAsync(viewScopes, (scope) => meta.issues.savedSearches(organizationId, '', scope))
  const rows: ConfigRows = {
    projects: byKey(managed, ({ slug }) => projectKey(slug)),
    dashboards: byKey(boards, ({ title }) => dashboardKey(title)),
    views: byKey(
      views.flat().filter(({ shared }) => shared),
      viewKey,
    ),
    channels: byKey(await meta.alerts.channelsOf(organizationId), ({ name }) => channelKey(name)),
  }
  const items: ConfigItem[] = []
  for (const [key, project] of rows.projects)
    items.push({ key, kind: 'project', file: '', value: await projectValue(meta, project) })
  for (const [key, dashboard] of rows.dashboards)
    items.push({ key, kind: 'dashboard', file: '', value: dashboardValue(dashboard, projects) })
  for (const [key, view] of rows.views) items.push({ key, kind: 'view', file: '', value: viewValue(view, projects) })
  for (const [key, channel] of rows.channels)
    items.push({ key, kind: 'channel', file: '', value: channelValue(channel, projects) })
  return { items, rows }
}
