import type { RestCodeMapping, RestExternalIssue, RestIntegration } from '../../contract/alerts/trackers.ts'
import type { TrackerKind } from '../../domain/alerts/trackers.ts'
import type { Person, Project } from '../../store/meta/meta.ts'
import type { MetaWith } from '../../store/meta/meta-store.ts'
import type { CodeMapping } from '../../store/meta/trackers/code-mappings.ts'
import type { ExternalIssue } from '../../store/meta/trackers/external-issues.ts'
import type { HookCount } from '../../store/meta/trackers/hooks.ts'
import type { Integration } from '../../store/meta/trackers/integrations.ts'

/** Names of the services as their vendors write them. */
const trackerNames: Readonly<Record<TrackerKind, string>> = {
  github: 'GitHub',
  gitlab: 'GitLab',
  jira: 'Jira',
  linear: 'Linear',
}

const features: Readonly<Record<TrackerKind, string[]>> = {
  github: ['issue-basic', 'issue-sync', 'commits', 'stacktrace-link'],
  gitlab: ['issue-basic', 'issue-sync', 'commits', 'stacktrace-link'],
  jira: ['issue-basic', 'issue-sync'],
  linear: ['issue-basic', 'issue-sync'],
}

const iso = (ms: number) => new Date(ms).toISOString()
const isoOrNull = (ms: number | null) => (ms === null ? null : iso(ms))
const noDeliveries = { accepted: 0, ignored: 0, repeated: 0, unsigned: 0, bad_signature: 0, limited: 0, invalid: 0 }

type Deps = {
  meta: MetaWith<'trackers.hookCountsOf' | 'people.people'>
  clock: { now(): number }
  config: { url: string }
  /** Counts that are not stored yet. */
  hookCalls: { waiting(): readonly HookCount[] }
}

/** The address that a service sends its webhooks to. */
const webhookUrl = (url: string, id: number) => `${url}/api/0/trackers/${id}/webhook/`

function toRest(
  integration: Integration,
  person: Person | undefined,
  counts: HookCount[],
  url: string,
): RestIntegration {
  const { kind, refusedMs } = integration
  const deliveries = { ...noDeliveries }
  for (const { integrationId, outcome, quantity } of counts)
    if (integrationId === integration.id) deliveries[outcome] += quantity
  return {
    id: String(integration.id),
    name: integration.name,
    icon: null,
    domainName: new URL(integration.url).host,
    accountType: null,
    status: refusedMs === null ? 'active' : 'disabled',
    provider: {
      key: kind,
      slug: kind,
      name: trackerNames[kind],
      canAdd: true,
      canDisable: false,
      features: features[kind],
    },
    organizationId: String(integration.organizationId),
    url: integration.url,
    target: integration.target,
    email: integration.email,
    account: integration.account,
    syncState: integration.syncState,
    syncComments: integration.syncComments,
    connectedBy: person ? { id: person.id, name: person.name, email: person.email } : null,
    dateConnected: iso(integration.connectedMs),
    refusedSince: isoOrNull(refusedMs),
    lastError: integration.lastError,
    webhookUrl: webhookUrl(url, integration.id),
    deliveries,
  }
}

/** Converts connections of one organization, with who connected them and their webhooks of 30 days. */
export async function toRestIntegrations(
  { meta, clock, config, hookCalls }: Deps,
  organizationId: number,
  integrations: readonly Integration[],
): Promise<RestIntegration[]> {
  const counts = [...(await meta.trackers.hookCountsOf(organizationId, clock.now())), ...hookCalls.waiting()]
  const ids = integrations.flatMap(({ connectedBy }) => connectedBy ?? [])
  const people = new Map((await meta.people.people([...new Set(ids)])).map((person) => [person.id, person]))
  return integrations.map((item) => toRest(item, people.get(item.connectedBy ?? ''), counts, config.url))
}

/** Converts the links of an issue. Those without a tracker issue are shown with their error. */
export async function externalIssuesOf(
  { meta }: { meta: MetaWith<'trackers.externalIssuesOf' | 'trackers.integrationsOf' | 'people.people'> },
  organizationId: number,
  issueId: number,
): Promise<RestExternalIssue[]> {
  const links = await meta.trackers.externalIssuesOf(issueId)
  if (links.length === 0) return []
  const integrations = await meta.trackers.integrationsOf(organizationId)
  const byId = new Map(integrations.map((item) => [item.id, item]))
  const refused = integrations.flatMap(({ refusedMs, connectedBy }) => (refusedMs !== null && connectedBy) || [])
  const people = new Map((await meta.people.people([...new Set(refused)])).map((person) => [person.id, person]))
  return links.flatMap((link) => {
    const integration = byId.get(link.integrationId)
    const person = people.get(integration?.connectedBy ?? '')
    return integration ? [toRestExternalIssue(link, integration, person)] : []
  })
}

/** Converts a link. */
export function toRestExternalIssue(
  link: ExternalIssue,
  { kind, refusedMs }: Pick<Integration, 'kind' | 'refusedMs'>,
  person?: Person,
): RestExternalIssue {
  return {
    id: String(link.id),
    issueId: String(link.issueId),
    serviceType: kind,
    displayName: link.key,
    webUrl: link.url,
    integrationId: String(link.integrationId),
    title: link.title,
    state: link.state,
    isFromRule: link.origin.startsWith('rule-'),
    dateCreated: iso(link.createdMs),
    error: link.error,
    refusedSince: isoOrNull(refusedMs),
    reconnect: refusedMs === null ? null : person?.name || person?.email || null,
  }
}

/** Converts code mappings whose projects are in `projects`. */
export function toRestMappings(
  mappings: readonly CodeMapping[],
  projects: readonly Project[],
  integrations: readonly Integration[],
): RestCodeMapping[] {
  return mappings.flatMap((mapping) => {
    const project = projects.find(({ id }) => id === mapping.projectId)
    const kind = integrations.find(({ id }) => id === mapping.integrationId)?.kind
    if (!project) return []
    return [
      {
        id: String(mapping.id),
        projectId: String(project.id),
        projectSlug: project.slug,
        projectName: project.name,
        repoId: String(mapping.repositoryId),
        repoName: mapping.repository,
        integrationId: mapping.integrationId === null ? null : String(mapping.integrationId),
        provider: kind ? { key: kind, name: trackerNames[kind] } : null,
        stackRoot: mapping.stackRoot,
        sourceRoot: mapping.sourceRoot,
        defaultBranch: mapping.defaultBranch,
        automaticallyGenerated: false as const,
      },
    ]
  })
}
