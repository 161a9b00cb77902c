import { z } from 'zod'
import { MishapError } from '../../base/errors.ts'
import { feedbackChangeBody, feedbackState, type RestFeedback, restFeedback } from '../../contract/feedback.ts'
import { deleteFeedback, setFeedbackState } from '../../operations/feedback.ts'
import type { App } from '../../processes/parts.ts'
import { toRestFeedback } from '../../query/issues/feedback.ts'
import type { Feedback } from '../../store/meta/issues/feedback.ts'
import { pageHeaders } from '../page.ts'
import {
  type Call,
  issueOf,
  limitOf,
  organizationOf,
  pageQuery,
  projectOf,
  type Route,
  requestedProjects,
  route,
  viewQuery,
} from '../route.ts'

/** Maximum rows of an issue. Its screen shows all of them. */
const ofIssueMax = 100

const listQuery = z.object({
  project: viewQuery.project,
  status: feedbackState.optional().describe('new, resolved or spam. Default: all.'),
  ...pageQuery,
})

async function list(call: Call<z.output<typeof listQuery>, undefined>) {
  const { app, actor, query, request, found } = call
  const organization = organizationOf(found)
  const limit = limitOf(query, 25)
  const cursor = query.cursor
  if (cursor !== undefined && !/^\d{1,15}$/.test(cursor))
    throw new MishapError('VALIDATION', { fields: { cursor: ['A cursor from a Link header.'] } })
  const projects = found.project
    ? [projectOf(found)]
    : (await requestedProjects(app, actor, organization, query.project)).filter(
        (askedProject) => askedProject.organizationId === organization.id,
      )
  const rows = await app.meta.feedback.listFeedback({
    projectIds: projects.map((project) => project.id),
    state: query.status,
    beforeId: cursor === undefined || cursor === '0' ? undefined : Number(cursor),
    max: limit + 1,
  })
  const shown = rows.slice(0, limit)
  const page = {
    rows: await toRestFeedback(app, shown),
    previous: { cursor: '0', results: cursor !== undefined && cursor !== '0' },
    next: { cursor: String(shown.at(-1)?.id ?? cursor ?? 0), results: rows.length > limit },
    hits: undefined,
    walk: 'stable' as const,
  }
  return { body: page.rows, headers: pageHeaders(app.config.url, request.url, page) }
}

/** Returns the feedback of the path in its organization. Throws NOT_FOUND. */
async function feedbackOfCall({ app, found, params }: Call<unknown, unknown>): Promise<Feedback> {
  const feedback = /^\d{1,15}$/.test(params.feedback ?? '')
    ? await app.meta.feedback.feedbackById(Number(params.feedback))
    : undefined
  const project = feedback && (await app.meta.projects.projectById(feedback.projectId))
  if (!feedback || project?.organizationId !== organizationOf(found).id) throw new MishapError('NOT_FOUND')
  return feedback
}

const restFeedbackOf = async (app: App, id: number): Promise<RestFeedback> => {
  const feedback = await app.meta.feedback.feedbackById(id)
  const [shown] = feedback ? await toRestFeedback(app, [feedback]) : []
  if (!shown) throw new MishapError('NOT_FOUND')
  return shown
}

const F = '/organizations/:org/feedback'

/** User feedback: the list, a single feedback, its state, and the feedback of an issue. */
export const feedbackRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: F,
    operationId: 'listFeedback',
    summary: 'User feedback of an organization, newest first.',
    action: 'issue:read',
    query: listQuery,
    response: z.array(restFeedback),
    handle: list,
  }),
  route({
    method: 'GET',
    path: '/projects/:org/:project/user-feedback',
    operationId: 'listProjectFeedback',
    summary: 'User feedback of a project, newest first.',
    action: 'issue:read',
    query: listQuery,
    response: z.array(restFeedback),
    handle: list,
  }),
  route({
    method: 'GET',
    path: `${F}/:feedback`,
    operationId: 'feedback',
    summary: 'One feedback.',
    action: 'issue:read',
    response: restFeedback,
    handle: async (call) => ({ body: await restFeedbackOf(call.app, (await feedbackOfCall(call)).id) }),
  }),
  route({
    method: 'PUT',
    path: `${F}/:feedback`,
    operationId: 'updateFeedback',
    summary: 'Marks a feedback as new, resolved or spam.',
    action: 'issue:triage',
    body: feedbackChangeBody,
    response: restFeedback,
    handle: async (call) => {
      const { app, actor, body } = call
      const { id } = await feedbackOfCall(call)
      await setFeedbackState(app, actor, id, body.status)
      return { body: await restFeedbackOf(app, id) }
    },
  }),
  route({
    method: 'DELETE',
    path: `${F}/:feedback`,
    operationId: 'deleteFeedback',
    summary: 'Deletes a feedback with its screenshots.',
    action: 'issue:delete',
    status: 204,
    response: z.undefined(),
    handle: async (call) => {
      await deleteFeedback(call.app, (await feedbackOfCall(call)).id)
      return { body: undefined, status: 204 }
    },
  }),
  ...['/organizations/:org/issues/:issue', '/issues/:issue'].map((path, i) =>
    route({
      method: 'GET',
      path: `${path}/user-reports`,
      operationId: i === 0 ? 'organizationIssueFeedback' : 'issueFeedback',
      summary: 'User feedback on the events of an issue, newest first, without spam.',
      action: 'issue:read',
      response: z.array(restFeedback),
      handle: async ({ app, found }) => ({
        body: await toRestFeedback(app, await app.meta.feedback.feedbackOfIssue(issueOf(found).id, ofIssueMax)),
      }),
    }),
  ),
]
