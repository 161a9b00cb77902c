import type { RestEvent, RestIssueDetail } from '../../protocol/rest.ts'
import { receivedJson, storedJson } from '../../query/event.ts'
import { eventRowOf, placeEvent } from '../../query/events.ts'
import { issueDetail } from '../../query/issue.ts'
import { rangeOf } from '../../query/range.ts'
import type { SeenEvent } from '../../store/events/events.ts'
import { app } from '../handle.ts'
import { actorHere, organizationFor } from '../session.ts'
import { codeOf, findIssue, readableIds } from './load.ts'

export type Asked = { issue: RestIssueDetail; event: RestEvent; stored: string; received: string | undefined }

const headers = {
  'cache-control': 'private, no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
}

function refuse(status: number, code: string, detail: string): Response {
  return Response.json({ detail, code, causes: [] }, { status, headers })
}

/**
 * Answers a GET for another form of the issue page (Markdown, JSON): finds issue and event (`?event=`, latest without),
 * asks for permission and hands them to `make`; errors are JSON.
 */
export async function answerIssue(
  org: string,
  id: string,
  request: Request,
  make: (asked: Asked, search: URLSearchParams) => Response | undefined,
): Promise<Response> {
  const actor = await actorHere()
  if (!actor) return refuse(401, 'AUTH_REQUIRED', 'Authentication credentials were not provided.')
  const missing = () => refuse(404, 'NOT_FOUND', 'The requested resource does not exist')
  const organization = organizationFor(actor, org)?.organization
  const here = organization && findIssue(actor, organization, decodeURIComponent(id))
  if (!here) return missing()
  const search = new URL(request.url).searchParams
  const deps = app()
  try {
    const row: SeenEvent = await eventRowOf(deps, here.issue, search.get('event') ?? 'latest')
    const view = {
      organization: here.organization,
      projects: [here.project],
      environments: [],
      range: rangeOf({}, deps.clock.now()),
    }
    const readable = readableIds(actor, here.organization)
    const [issue, event] = await Promise.all([
      issueDetail(deps, view, here.issue, readable),
      placeEvent(deps, here.issue, row, readable),
    ])
    return make({ issue, event, stored: storedJson(row), received: receivedJson(row) }, search) ?? missing()
  } catch (error) {
    const code = codeOf(error)
    if (code === 'NOT_FOUND') return missing()
    if (code === 'STORE_UNAVAILABLE' || code === 'QUERY_TIMEOUT')
      return refuse(503, code, 'The events store is away; ingest goes on.')
    throw error
  }
}

/** The answer of a text, not to be sniffed, kept or run. */
export function textAnswer(text: string, contentType: string): Response {
  return new Response(text, { headers: { ...headers, 'content-type': `${contentType}; charset=utf-8` } })
}
