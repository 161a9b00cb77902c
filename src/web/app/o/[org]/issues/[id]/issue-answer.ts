import { readableIds } from '../../../../../../auth/allowed-projects.ts'
import type { RestEvent } from '../../../../../../contract/events.ts'
import type { RestLogLine } from '../../../../../../contract/explore/logs.ts'
import type { RestIssueDetail } from '../../../../../../contract/issues.ts'
import { eventRowOf, positionEvent } from '../../../../../../query/events.ts'
import { receivedJson, storedJson } from '../../../../../../query/issues/event.ts'
import { issueDetail } from '../../../../../../query/issues/issue.ts'
import { linesOfEvent } from '../../../../../../query/logs/moment.ts'
import { rangeOf } from '../../../../../../query/range.ts'
import type { SeenEvent } from '../../../../../../store/events/events.ts'
import { app } from '../../../../../handle.ts'
import { findIssue } from '../../../../../server/issues.ts'
import { actorHere, organizationFor } from '../../../../../server/session.ts'
import { codeOf } from '../../../../../server/unless-away.ts'

type LoadedIssue = {
  issue: RestIssueDetail
  event: RestEvent
  stored: string
  received: string | undefined
  linesOfTrace(): Promise<RestLogLine[]>
}

const headers = {
  'cache-control': 'private, no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
}

function refuse(status: number, code: string, detail: string): Response {
  return Response.json({ detail, code, causes: [] }, { status, headers })
}

/** The parts of the URL. `path` is empty or the event's id, number or word. */
type Address = { org: string; id: string; path?: string[] | undefined }

/**
 * Answers a GET for the issue page as Markdown or JSON. Finds the issue and the event in the path or `?event=`
 * (default: latest), checks permission and passes both to `answer`. Errors are JSON: 401; 404 for missing or unreadable
 * things; 503 while the events store is unavailable.
 */
export async function answerIssue(
  { org, id, path = [] }: Address,
  request: Request,
  answer: (loaded: LoadedIssue, search: URLSearchParams) => Response | undefined | Promise<Response>,
): Promise<Response> {
  const actor = await actorHere()
  if (!actor) return refuse(401, 'AUTH_REQUIRED', 'Authentication credentials were not provided.')
  const missing = () => refuse(404, 'NOT_FOUND', 'The requested resource does not exist')
  const organization = (await organizationFor(actor, org))?.organization
  const here = organization && (await findIssue(actor, organization, decodeURIComponent(id)))
  if (!here || path.length > 1) return missing()
  const search = new URL(request.url).searchParams
  // Route handlers do not get the query of a rewrite, so the rewritten path contains the event.
  const choice = path[0] === undefined ? (search.get('event') ?? 'latest') : decodeURIComponent(path[0])
  const deps = app()
  try {
    const row: SeenEvent = await eventRowOf(deps, here.issue, choice)
    const view = {
      organization: here.organization,
      projects: [here.project],
      environments: [],
      range: rangeOf({}, deps.clock.now()),
    }
    const readable = await readableIds(app(), actor, here.organization)
    const [issue, event] = await Promise.all([
      issueDetail(deps, view, here.issue, readable),
      positionEvent(deps, here.issue, row, readable),
    ])
    const loaded: LoadedIssue = {
      issue,
      event,
      stored: storedJson(row),
      received: receivedJson(row),
      linesOfTrace: () => linesOfEvent(deps, readable, event),
    }
    return (await answer(loaded, search)) ?? missing()
  } catch (error) {
    const code = codeOf(error)
    if (code === 'NOT_FOUND') return missing()
    if (code === 'STORE_UNAVAILABLE' || code === 'QUERY_TIMEOUT')
      return refuse(503, code, 'The events store is down. Ingest continues.')
    throw error
  }
}

/** A text response that browsers must not sniff, cache or run. */
export function textAnswer(text: string, contentType: string): Response {
  return new Response(text, { headers: { ...headers, 'content-type': `${contentType}; charset=utf-8` } })
}
