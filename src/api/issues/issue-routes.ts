import { z } from 'zod'
import { MishapError } from '../../base/errors.ts'
import { type IssueChangeBody, issueChangeBody } from '../../contract/issue-changes.ts'
import {
  type RestIssue,
  type RestIssueDetail,
  restActivities,
  restInCommon,
  restIssue,
  restIssueDetail,
  restShortId,
  restTag,
  restTagValue,
} from '../../contract/issues.ts'
import { restVolume } from '../../contract/volume.ts'
import { demandIssueRevision } from '../../operations/issue-changes.ts'
import { inCommonOf } from '../../query/issues/in-common.ts'
import { activityOf, issueDetail, issueStatsOf, toRestIssues } from '../../query/issues/issue.ts'
import { defaultQuery, issueSorts, listIssues } from '../../query/issues/issues.ts'
import { tagsOfIssue } from '../../query/issues/tags.ts'
import { issueVolume } from '../../query/volume.ts'
import { revisionOf } from '../input.ts'
import { pageHeaders } from '../page.ts'
import { removeIssue } from '../people/removal-routes.ts'
import type { Answer, Call, Route } from '../route.ts'
import {
  issueOf,
  limitOf,
  organizationOf,
  pageQuery,
  projectOf,
  rangeQuery,
  readableIdsOf,
  route,
  scopeOf,
  viewOf,
  viewQuery,
} from '../route.ts'
import { applyChange } from './issue-change.ts'
import { actionOf } from './issue-input.ts'

const listQuery = z.object({
  ...viewQuery,
  ...pageQuery,
  query: z.string().optional().describe(`Search text. Default: ${defaultQuery}.`),
  sort: z
    .enum([...issueSorts, 'trends', 'inbox', 'priority'])
    .optional()
    .describe('date: last seen; new: first seen; freq: events; user: users.'),
  shortIdLookup: z.string().optional().describe('1: a short id as the query finds only that issue.'),
})
const volumeQuery = z.object({ ...viewQuery, query: listQuery.shape.query })
type ListCall = Call<z.output<typeof listQuery>, undefined>

async function list(call: ListCall): Promise<Answer<RestIssue[]>> {
  const { app, actor, query, request } = call
  const view = await viewOf(call)
  const limit = limitOf(query, 25)
  const organization = organizationOf(call.found)
  if (query.shortIdLookup === '1' && query.query) {
    const issue = await app.meta.issues.issueByShortId(organization.id, query.query.trim().toUpperCase())
    if (issue && view.projects.some((project) => project.id === issue.projectId)) {
      const rows = await toRestIssues(app, view, [issue], await issueStatsOf(app, view, [issue]))
      return { body: rows, headers: { 'x-hits': '1', 'x-max-hits': '1' } }
    }
  }
  const sort = issueSorts.find((issueSort) => issueSort === query.sort) ?? 'date'
  const page = await listIssues(app, {
    ...view,
    query: query.query ?? defaultQuery,
    sort,
    limit,
    cursor: query.cursor,
    meUserId: actor.person.id,
  })
  return { body: page.rows, headers: pageHeaders(app.config.url, request.url, page) }
}

const issueView = async (call: Call<{ statsPeriod?: string | undefined; environment?: string[] }, undefined>) => ({
  body: await issueDetail(call.app, await viewOf(call), issueOf(call.found), await readableIdsOf(call)),
})
const issueQuery = z.object({ ...rangeQuery, environment: viewQuery.environment })

async function change(call: Call<object, IssueChangeBody>): Promise<Answer<RestIssueDetail>> {
  const { app, actor, body, found, request } = call
  const issue = issueOf(found)
  const tagScope = { organization: organizationOf(found), project: projectOf(found), issue }
  await app.auth.demand(actor, actionOf(body), tagScope)
  if (body.merge)
    throw new MishapError('VALIDATION', {
      fields: { merge: ['For several issues, use issues/ with one id parameter per issue.'] },
    })
  const view = await viewOf({ ...call, query: {} })
  const revision = revisionOf(body, request)
  if (body.discard) {
    await demandIssueRevision(app, actor, issue.id, revision)
    // Read first, because the issue can be gone when this answers.
    const last = await issueDetail(app, view, issue, await readableIdsOf(call))
    await removeIssue(call, 'discard')
    return { body: last }
  }
  await applyChange(app, actor, [issue], body, revision)
  const changed = await app.meta.issues.issueById(issue.id)
  if (!changed) throw new MishapError('NOT_FOUND')
  return { body: await issueDetail(app, view, changed, await readableIdsOf(call)) }
}

/** Operation ids differ between the two addresses of an issue. Those without organization start in lower case. */
type NameOf = (name: string) => string

const personalRoutes = (path: string, id: NameOf): Route[] => [
  route({
    method: 'GET',
    path,
    operationId: id('Issue'),
    summary: 'One issue with tags and activity.',
    action: 'issue:read',
    query: issueQuery,
    response: restIssueDetail,
    handle: issueView,
  }),
  route({
    method: 'PUT',
    path,
    operationId: id('IssueUpdate'),
    summary:
      'Resolves, unresolves, archives, assigns or discards an issue. 409 if `revision` or If-Match is outdated. Viewers can set only their own marks.',
    action: 'issue:own',
    body: issueChangeBody,
    response: restIssueDetail,
    handle: change,
  }),
  route({
    method: 'GET',
    path: `${path}/activities`,
    operationId: id('IssueActivities'),
    summary: 'Activity of an issue, newest first.',
    action: 'issue:read',
    response: restActivities,
    handle: async ({ app, found }) => ({ body: { activity: await activityOf(app, issueOf(found).id) } }),
  }),
]

const tagRoutes = (path: string, id: NameOf): Route[] => [
  route({
    method: 'GET',
    path: `${path}/tags`,
    operationId: id('IssueTags'),
    summary: 'Distribution of each tag over an issue’s newest 5,000 events.',
    action: 'issue:read',
    query: issueQuery,
    response: z.array(restTag),
    handle: async (call) => ({
      body: await tagsOfIssue(call.app, issueOf(call.found), scopeOf(await viewOf(call, '90d')), 10),
    }),
  }),
  route({
    method: 'GET',
    path: `${path}/in-common`,
    operationId: id('IssueInCommon'),
    summary:
      'Tag values that are at least 1.5 times as frequent in the issue’s events as in the other events of the project, most certain first. None for fewer than 20 events.',
    action: 'issue:read',
    query: issueQuery,
    response: restInCommon,
    handle: async (call) => ({
      body: await inCommonOf(call.app, issueOf(call.found), scopeOf(await viewOf(call, '14d'))),
    }),
  }),
  route({
    method: 'GET',
    path: `${path}/tags/:key`,
    operationId: id('IssueTag'),
    summary: 'Distribution of one tag.',
    action: 'issue:read',
    query: issueQuery,
    response: restTag,
    handle: async (call) => {
      const [tag] = await tagsOfIssue(
        call.app,
        issueOf(call.found),
        scopeOf(await viewOf(call, '90d')),
        100,
        call.params.key,
      )
      if (!tag) throw new MishapError('NOT_FOUND')
      return { body: tag }
    },
  }),
  route({
    method: 'GET',
    path: `${path}/tags/:key/values`,
    operationId: id('IssueTagValues'),
    summary: 'Values of one tag, most events first.',
    action: 'issue:read',
    query: issueQuery,
    response: z.array(restTagValue),
    handle: async (call) => {
      const key = call.params.key ?? ''
      const [tag] = await tagsOfIssue(call.app, issueOf(call.found), scopeOf(await viewOf(call, '90d')), 1000, key)
      return { body: (tag?.topValues ?? []).map((value) => ({ key, ...value })) }
    },
  }),
]

/** Issues: the list, a single issue, its tags. See also bulk-routes.ts and comment-routes.ts. */
export const issueRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/organizations/:org/issues',
    operationId: 'listIssues',
    summary: 'Issues of an organization: the stream.',
    action: 'issue:read',
    query: listQuery,
    response: z.array(restIssue),
    handle: list,
  }),
  route({
    method: 'GET',
    path: '/organizations/:org/issues-volume',
    operationId: 'getIssuesVolume',
    summary: 'Events over time of the issues that a query finds, by level.',
    action: 'issue:read',
    query: volumeQuery,
    response: restVolume,
    handle: async (call) => ({
      body: await issueVolume(call.app, {
        ...(await viewOf(call)),
        query: call.query.query ?? defaultQuery,
        meUserId: call.actor.person.id,
      }),
    }),
  }),
  route({
    method: 'GET',
    path: '/projects/:org/:project/issues',
    operationId: 'listProjectIssues',
    summary: 'Issues of one project.',
    action: 'issue:read',
    query: listQuery,
    response: z.array(restIssue),
    handle: list,
  }),
  ...['/organizations/:org/issues/:issue', '/issues/:issue'].flatMap((path, i): Route[] => {
    const id: NameOf = (name) => (i === 0 ? `organization${name}` : name.slice(0, 1).toLowerCase() + name.slice(1))
    return [...personalRoutes(path, id), ...tagRoutes(path, id)]
  }),
  route({
    method: 'GET',
    path: '/organizations/:org/shortids/:shortId',
    operationId: 'shortId',
    summary: 'The issue of a short id.',
    action: 'organization:read',
    response: restShortId,
    handle: async (call) => {
      const { app, actor, params } = call
      const organization = organizationOf(call.found)
      const issue = await app.meta.issues.issueByShortId(organization.id, (params.shortId ?? '').toUpperCase())
      const project = issue && (await app.meta.projects.projectById(issue.projectId))
      if (!issue || !project) throw new MishapError('NOT_FOUND')
      await app.auth.demand(actor, 'issue:read', { organization, project, issue })
      const view = await viewOf({ ...call, found: { organization, project }, query: {} })
      const [group] = await toRestIssues(app, view, [issue], await issueStatsOf(app, view, [issue]))
      if (!group) throw new MishapError('NOT_FOUND')
      return {
        body: {
          organizationSlug: organization.slug,
          projectSlug: projectOf({ project }).slug,
          groupId: String(issue.id),
          shortId: issue.shortId,
          group,
        },
      }
    },
  }),
]
