import { z } from 'zod'
import { readableProjects } from '../../auth/allowed-projects.ts'
import { MishapError } from '../../base/errors.ts'
import {
  type KeyChangeBody,
  keyChangeBody,
  newKeyBody,
  type RateLimitBody,
  type RestKey,
  type RestLoaderOptions,
  restKey,
  restTunnel,
} from '../../contract/keys.ts'
import {
  type NewProjectBody,
  newProjectBody,
  type ProjectChangeBody,
  projectChangeBody,
  type RestProjectSettings,
  restArrivals,
  restProject,
} from '../../contract/projects.ts'
import { groupingConfigOf, groupingVersionOf } from '../../domain/grouping.ts'
import { loaderOptionNames } from '../../domain/loader-options.ts'
import { eachSwitch } from '../../domain/project-switches.ts'
import { maskedToken } from '../../domain/scrape.ts'
import { createKey, deleteKey, updateKey } from '../../operations/keys.ts'
import { createProject, updateProject } from '../../operations/projects.ts'
import type { App } from '../../processes/parts.ts'
import type { KeyChange, Organization, Project, ProjectChange, ProjectKey } from '../../store/meta/meta.ts'
import { dsnOf } from '../../wire/dsn.ts'
import { tunnelOf } from '../../wire/tunnel.ts'
import { demandChange, revisionOf } from '../input.ts'
import { toRestOrganization } from '../people/organization-routes.ts'
import type { Found, Route } from '../route.ts'
import { organizationOf, projectOf, route } from '../route.ts'
import { arrivalsOf } from './arrivals.ts'
import { sendTestEvent } from './test-event.ts'

/** Returns the API form of a project, with the only team of its organization (team-routes.ts). */
export async function toRestProject(
  app: App,
  organization: Organization,
  project: Project,
): Promise<RestProjectSettings> {
  const team = { id: String(organization.id), slug: organization.slug, name: organization.name }
  const scrub = await app.meta.projects.scrubSettings(project.id)
  const scrape = await app.meta.artifacts.scrapeSettings(project.id)
  const grouping = await app.meta.projects.groupingSettings(project.id)
  const routes = await app.meta.projects.routeSettings(project.id)
  return {
    id: String(project.id),
    slug: project.slug,
    name: project.name,
    platform: project.platform,
    platforms: project.platform ? [project.platform] : [],
    dateCreated: new Date(project.createdMs).toISOString(),
    firstEvent: project.firstEventMs === null ? null : new Date(project.firstEventMs).toISOString(),
    isMember: true,
    hasAccess: true,
    features: [],
    status: 'active',
    // These have no settings yet. Generated clients cannot parse a project without them.
    options: {},
    color: '#6d5bd0',
    isPublic: false,
    resolveAge: 0,
    subjectTemplate: '',
    digestsMinDelay: 0,
    digestsMaxDelay: 0,
    securityTokenHeader: null,
    teams: [team],
    team,
    organization: toRestOrganization(app, organization),
    revision: project.rev,
    allowedDomains: project.allowedOrigins.length ? project.allowedOrigins : ['*'],
    dataScrubber: scrub.scrub,
    dataScrubberDefaults: scrub.scrubDefaults,
    scrubIPAddresses: scrub.scrubIpAddresses,
    sensitiveFields: scrub.sensitiveFields,
    safeFields: scrub.safeFields,
    routePatterns: routes.patterns,
    learnedRoutes: routes.learned,
    uploadedRoutes: [...(routes.uploaded ?? [])],
    metricSeriesMax: project.metricSeriesMax,
    scrapeJavaScript: scrape.on,
    verifySSL: scrape.verifyTls,
    ...project.switches,
    detectors: await app.meta.projects.detectorSettings(project.id),
    securityToken: scrape.sealedToken === '' ? '' : maskedToken,
    fingerprintingRules: grouping.fingerprintRules,
    groupingEnhancements: grouping.stackRules,
    groupingConfig: groupingConfigOf(grouping.version),
    secondaryGroupingConfig: grouping.secondary === undefined ? null : groupingConfigOf(grouping.secondary),
    secondaryGroupingExpiry:
      grouping.secondaryUntilMs === undefined ? null : new Date(grouping.secondaryUntilMs).toISOString(),
  }
}

const loaderOptionsOf = ({ loaderOptions }: ProjectKey): RestLoaderOptions =>
  Object.fromEntries(loaderOptionNames.map((name) => [name, loaderOptions[name] ?? false])) as RestLoaderOptions

/** Returns the API form of a project key, with all addresses for SDKs and clients. */
function toRestKey(app: App, projectKey: ProjectKey): RestKey {
  const dsn = dsnOf(app.config.url, projectKey)
  const api = `${app.config.url}/api/${projectKey.projectId}`
  return {
    id: projectKey.publicKey,
    name: projectKey.label,
    label: projectKey.label,
    public: projectKey.publicKey,
    secret: '',
    projectId: projectKey.projectId,
    isActive: projectKey.active,
    revision: projectKey.rev,
    rateLimit: projectKey.rateLimit
      ? { window: projectKey.rateLimit.windowS, count: projectKey.rateLimit.count }
      : null,
    dateCreated: new Date(projectKey.createdMs).toISOString(),
    lastUsed: projectKey.lastUsedMs === null ? null : new Date(projectKey.lastUsedMs).toISOString(),
    dsn: {
      public: dsn,
      secret: dsn,
      csp: `${api}/csp-report/?sentry_key=${projectKey.publicKey}`,
      security: `${api}/security/?sentry_key=${projectKey.publicKey}`,
      minidump: `${api}/minidump/?sentry_key=${projectKey.publicKey}`,
      nel: `${api}/nel/?sentry_key=${projectKey.publicKey}`,
      unreal: `${api}/unreal/${projectKey.publicKey}/`,
      playstation: `${api}/playstation/?sentry_key=${projectKey.publicKey}`,
      crons: `${api}/cron/___MONITOR_SLUG___/${projectKey.publicKey}/`,
      cdn: `${app.config.url}/js-sdk-loader/${projectKey.publicKey}.min.js`,
      otlp_traces: `${api}/integration/otlp/v1/traces`,
      otlp_logs: `${api}/integration/otlp/v1/logs`,
      otlp_metrics: `${api}/integration/otlp/v1/metrics`,
      integration: `${api}/integration/`,
    },
    browserSdkVersion: projectKey.browserSdk,
    dynamicSdkLoaderOptions: loaderOptionsOf(projectKey),
  }
}

/** Converts the body of a key change to the fields of the store. */
function keyChangeOf(body: KeyChangeBody): KeyChange {
  const label = body.name ?? body.label
  return {
    ...(label === undefined ? {} : { label }),
    ...(body.isActive === undefined ? {} : { active: body.isActive }),
    ...(body.rateLimit === undefined ? {} : { rateLimit: limitOf(body.rateLimit) }),
    ...(body.browserSdkVersion === undefined ? {} : { browserSdk: body.browserSdkVersion }),
    ...(body.dynamicSdkLoaderOptions === undefined ? {} : { loaderOptions: body.dynamicSdkLoaderOptions }),
  }
}

/** Renames the fields of errors from store names to the API names that the caller used. */
async function underName<Result>(names: Record<string, string>, change: () => Promise<Result>): Promise<Result> {
  try {
    return await change()
  } catch (error) {
    if (!(error instanceof MishapError) || !error.fields) throw error
    const fields = Object.entries(error.fields).map(([name, sentences]) => [names[name] ?? name, sentences])
    throw new MishapError(error.code, { detail: error.message, fields: Object.fromEntries(fields) })
  }
}

/** Converts the body of a project change to the fields of the store. */
function changeOf(body: ProjectChangeBody): ProjectChange {
  const changes: { [Name in keyof ProjectChange]: ProjectChange[Name] | undefined } = {
    name: body.name,
    slug: body.slug,
    platform: body.platform,
    allowedOrigins: body.allowedOrigins ?? body.allowedDomains,
    scrub: body.dataScrubber,
    scrubDefaults: body.dataScrubberDefaults,
    scrubIpAddresses: body.scrubIPAddresses,
    sensitiveFields: body.sensitiveFields,
    safeFields: body.safeFields,
    routePatterns: body.routePatterns,
    metricSeriesMax: body.metricSeriesMax,
    scrape: body.scrapeJavaScript,
    scrapeTls: body.verifySSL,
    ...eachSwitch((name) => body[name]),
    detectors: body.detectors,
    fingerprintRules: body.fingerprintingRules,
    stackRules: body.groupingEnhancements,
    groupingVersion: body.groupingConfig === undefined ? undefined : groupingVersionOf(body.groupingConfig),
  }
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
}

/** Creates a project with a key. */
export async function createOrgProject(
  app: App,
  organization: Organization,
  { name, slug, platform = null }: NewProjectBody,
): Promise<{ body: RestProjectSettings }> {
  const project = await createProject(app, { organizationId: organization.id, name, slug, platform })
  return { body: await toRestProject(app, organization, project) }
}

async function keyOf(app: App, found: Found, id: string | undefined): Promise<ProjectKey> {
  const key = (await app.meta.projects.keysOf(projectOf(found).id)).find(
    (projectKey) => projectKey.publicKey === id || String(projectKey.id) === id,
  )
  if (!key) throw new MishapError('NOT_FOUND')
  return key
}

const limitOf = (value: RateLimitBody) => (value === null ? null : { count: value.count, windowS: value.window })
const P = '/projects/:org/:project'

/** Projects, their keys, and their arrivals. */
export const projectRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/organizations/:org/projects',
    operationId: 'listProjects',
    summary: 'Projects of an organization.',
    action: 'organization:read',
    response: z.array(restProject),
    handle: async ({ app, actor, found }) => ({
      body: await Array.fromAsync(await readableProjects(app, actor, organizationOf(found)), async (readableProject) =>
        toRestProject(app, organizationOf(found), readableProject),
      ),
    }),
  }),
  route({
    method: 'POST',
    path: '/organizations/:org/projects',
    operationId: 'createProject',
    summary: 'Creates a project with one key.',
    action: 'project:create',
    body: newProjectBody,
    status: 201,
    response: restProject,
    handle: ({ app, found, body }) => createOrgProject(app, organizationOf(found), body),
  }),
  route({
    method: 'GET',
    path: P,
    operationId: 'project',
    summary: 'One project.',
    action: 'project:read',
    response: restProject,
    handle: async ({ app, found }) => ({ body: await toRestProject(app, organizationOf(found), projectOf(found)) }),
  }),
  route({
    method: 'PUT',
    path: P,
    operationId: 'updateProject',
    summary:
      'Changes name, slug (the old one keeps working), platform, allowed origins, scrubbing or grouping rules. 409 if `revision` or If-Match is outdated.',
    action: 'project:write',
    body: projectChangeBody,
    response: restProject,
    handle: async ({ app, actor, found, body, request }) => {
      demandChange(projectChangeBody, body)
      const { id } = projectOf(found)
      const guard = { rev: revisionOf(body, request), scrapeToken: body.securityToken }
      const names: Record<string, string> = {
        ...(body.allowedOrigins ? {} : { allowedOrigins: 'allowedDomains' }),
        fingerprintRules: 'fingerprintingRules',
        stackRules: 'groupingEnhancements',
        scrapeToken: 'securityToken',
      }
      const changed = await underName(names, () => updateProject(app, actor, id, changeOf(body), guard))
      return { body: await toRestProject(app, organizationOf(found), changed) }
    },
  }),
  route({
    method: 'GET',
    path: `${P}/keys`,
    operationId: 'listKeys',
    summary: 'Keys of a project with their DSNs.',
    action: 'project:read',
    response: z.array(restKey),
    handle: async ({ app, found }) => ({
      body: (await app.meta.projects.keysOf(projectOf(found).id)).map((key) => toRestKey(app, key)),
    }),
  }),
  route({
    method: 'POST',
    path: `${P}/keys`,
    operationId: 'createKey',
    summary: 'Creates a project key.',
    action: 'key:write',
    body: newKeyBody,
    status: 201,
    response: restKey,
    handle: async ({ app, found, body }) => {
      const key = await createKey(app, projectOf(found).id, keyChangeOf(body))
      return { body: toRestKey(app, key) }
    },
  }),
  route({
    method: 'GET',
    path: `${P}/keys/:key`,
    operationId: 'key',
    summary: 'One project key.',
    action: 'project:read',
    response: restKey,
    handle: async ({ app, found, params }) => ({ body: toRestKey(app, await keyOf(app, found, params.key)) }),
  }),
  route({
    method: 'GET',
    path: `${P}/keys/:key/tunnel`,
    operationId: 'keyTunnel',
    summary: 'Setup of a tunnel through the application’s own origin: the path, the SDK option and ready handlers.',
    action: 'project:read',
    response: restTunnel,
    handle: async ({ app, found, params }) => ({ body: tunnelOf(app.config.url, await keyOf(app, found, params.key)) }),
  }),
  route({
    method: 'PUT',
    path: `${P}/keys/:key`,
    operationId: 'updateKey',
    summary: 'Renames, disables, enables or limits a project key. 409 if `revision` or If-Match is outdated.',
    action: 'key:write',
    body: keyChangeBody,
    response: restKey,
    handle: async ({ app, actor, found, params, body, request }) => {
      demandChange(keyChangeBody, body)
      const { id } = await keyOf(app, found, params.key)
      const key = await updateKey(app, actor, id, keyChangeOf(body), revisionOf(body, request))
      return { body: toRestKey(app, key) }
    },
  }),
  route({
    method: 'DELETE',
    path: `${P}/keys/:key`,
    operationId: 'deleteKey',
    summary: 'Deletes a project key. Requests with it are refused from then on.',
    action: 'key:write',
    status: 204,
    response: z.undefined(),
    handle: async ({ app, found, params }) => {
      await deleteKey(app, (await keyOf(app, found, params.key)).id)
      return { body: undefined, status: 204 }
    },
  }),
  ...(['/organizations/:org/projects/:project/arrivals', `${P}/arrivals`] as const).map((path, i) =>
    route({
      method: 'GET',
      path,
      operationId: i === 0 ? 'arrivals' : 'projectArrivals',
      summary: 'Arrivals of a project: connection, items of the last hour, newest issue.',
      action: 'project:read',
      response: restArrivals,
      handle: async ({ app, found }) => ({ body: await arrivalsOf(app, projectOf(found)) }),
    }),
  ),
  ...(['/organizations/:org/projects/:project/test-event', `${P}/test-event`] as const).map((path, i) =>
    route({
      method: 'POST',
      path,
      operationId: i === 0 ? 'testEvent' : 'projectTestEvent',
      summary: 'Sends a test event through the project’s own key, as an SDK would.',
      action: 'project:create',
      status: 202,
      response: z.strictObject({ id: z.string() }),
      handle: async ({ app, found }) => ({ body: await sendTestEvent(app, projectOf(found)), status: 202 }),
    }),
  ),
]
