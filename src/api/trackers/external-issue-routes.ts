import { z } from 'zod'
import { MishapError } from '../../base/errors.ts'
import { externalIssueBody, restDraft, restExternalIssue } from '../../contract/alerts/trackers.ts'
import { createExternalIssue, linkExternalIssue, unlinkExternalIssue } from '../../operations/trackers.ts'
import { externalIssuesOf, toRestExternalIssue } from '../../query/alerts/trackers.ts'
import { draftOf } from '../../trackers/create.ts'
import { issueOf, organizationOf, type Route, route } from '../route.ts'
import { integrationNamed } from './integration-routes.ts'

const I = '/organizations/:org/issues/:issue/external-issues'

/** Tracker issues that are linked with an issue. */
export const externalIssueRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: I,
    operationId: 'listExternalIssues',
    summary: 'Tracker issues that are linked with an issue, oldest first.',
    action: 'issue:read',
    response: z.array(restExternalIssue),
    handle: async ({ app, found }) => ({
      body: await externalIssuesOf(app, organizationOf(found).id, issueOf(found).id),
    }),
  }),
  route({
    method: 'GET',
    path: `${I}/draft`,
    operationId: 'getExternalIssueDraft',
    summary: 'The prefilled text of a new tracker issue.',
    action: 'issue:read',
    query: z.object({ integrationId: z.string().max(15).describe('The connection.') }),
    response: restDraft,
    handle: async ({ app, found, query }) => {
      const integration = await integrationNamed(app, found, query.integrationId)
      return { body: await draftOf({ meta: app.meta, url: app.config.url }, integration, issueOf(found)) }
    },
  }),
  route({
    method: 'POST',
    path: I,
    operationId: 'createExternalIssue',
    summary:
      'Creates a tracker issue and links it; with `issue`, links an existing one. 400 has the words of the service.',
    action: 'issue:triage',
    body: externalIssueBody,
    status: 201,
    response: restExternalIssue,
    handle: async ({ app, actor, found, body }) => {
      const integration = await integrationNamed(app, found, body.integrationId)
      const issue = issueOf(found)
      const { title, description } = body
      const text = {
        ...(title === undefined ? {} : { title }),
        ...(description === undefined ? {} : { body: description }),
      }
      const link = body.issue
        ? await linkExternalIssue(app, integration, issue, actor, body.issue)
        : await createExternalIssue(app, integration, issue, actor, text)
      return { body: toRestExternalIssue(link, integration) }
    },
  }),
  route({
    method: 'DELETE',
    path: `${I}/:link`,
    operationId: 'deleteExternalIssue',
    summary: 'Removes a link. The tracker issue stays as it is.',
    action: 'issue:triage',
    status: 204,
    response: z.undefined(),
    handle: async ({ app, found, params }) => {
      const id = /^\d{1,15}$/.test(params.link ?? '') ? Number(params.link) : -1
      const link = await app.meta.trackers.externalById(id)
      if (link?.issueId !== issueOf(found).id) throw new MishapError('NOT_FOUND')
      await unlinkExternalIssue(app, link.id)
      return { body: undefined, status: 204 }
    },
  }),
]
