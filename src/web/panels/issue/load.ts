import { notFound } from 'next/navigation'
import type { Actor } from '../../../auth/auth.ts'
import type { RestCommitters } from '../../../contract/commits.ts'
import type { RestEvent } from '../../../contract/events.ts'
import type { RestIssueDetail } from '../../../contract/issues.ts'
import { eventRowOf, placeEvent } from '../../../query/events.ts'
import { issueWithTags } from '../../../query/issue.ts'
import { rangeOf as spanOf } from '../../../query/range.ts'
import { committersOf } from '../../../query/suspects.ts'
import { toRestTag } from '../../../query/tags.ts'
import type { SeenEvent } from '../../../store/events/events.ts'
import type { Issue, Organization, Project } from '../../../store/meta/meta.ts'
import { app } from '../../handle.ts'
import { givenMarks } from '../releases/load-marks.ts'
import { type GivenMarks, marksQuery } from '../releases/mark-groups.ts'
import { rangeOf } from '../search/range.ts'
import { type GivenParts, givenParts, noParts } from './preloaded-parts.ts'

export type Search = Record<string, string | string[] | undefined>
export type IssueHere = { organization: Organization; project: Project; issue: Issue }

const item = (value: string | string[] | undefined): string | null => (typeof value === 'string' ? value : null)

/** The code of an error of ours. The class has an instance in each bundle, so `instanceof` would not find it. */
export function codeOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined
}

/** The answer, or undefined when the store is away or the query is refused: the browser asks itself then and says why. */
export async function unlessAway<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await asked
  } catch (error) {
    // What the REST call would refuse or can't have now; everything else is a fault, for the error screen.
    if (/^(STORE_UNAVAILABLE|VALIDATION|QUERY_[A-Z_]+)$/.test(codeOf(error) ?? '')) return undefined
    throw error
  }
}

/** Ids of the projects of an organization whose issues a person may read. */
export function readableIds(actor: Actor, organization: Organization): number[] {
  const { meta, auth } = app()
  return meta
    .projectsOf(organization.id)
    .flatMap((project) => (auth.may(actor, 'issue:read', { organization, project }) === 'yes' ? [project.id] : []))
}

/** The issue with this id or short id in an organization, or undefined when it is not there or may not be read. */
export function findIssue(actor: Actor, organization: Organization, text: string): IssueHere | undefined {
  const { meta, auth } = app()
  const issue = /^\d{1,15}$/.test(text)
    ? meta.issueById(Number(text))
    : text.length <= 80
      ? meta.issueByShortId(organization.id, text.toUpperCase())
      : undefined
  if (!issue || issue.organizationId !== organization.id) return undefined
  const project = meta.projectById(issue.projectId)
  if (!project || auth.may(actor, 'issue:read', { organization, project, issue }) !== 'yes') return undefined
  return { organization, project, issue }
}

/** The event that the address names; undefined: the issue has no event left, or the store is away (then `away`). Throws NOT_FOUND. */
async function rowOf(here: IssueHere, choice: string): Promise<{ row: SeenEvent | undefined; away: boolean }> {
  try {
    return { row: await eventRowOf(app(), here.issue, choice), away: false }
  } catch (error) {
    const code = codeOf(error)
    if (code === 'STORE_UNAVAILABLE' || code === 'QUERY_TIMEOUT') return { row: undefined, away: true }
    if (code === 'NOT_FOUND' && choice === 'latest') return { row: undefined, away: false }
    throw error
  }
}

export type Loaded = {
  detail: RestIssueDetail | undefined
  event: RestEvent | undefined
  away: boolean
  marks: GivenMarks | undefined
  suspects: RestCommitters | undefined
  parts: GivenParts
}

/** Values of a tag that the page shows the shares of, as many as the REST call has. */
const tagValuesMax = 10

/** What the issue page shows, over the range and environment of its query string. Answers 404 for an event that is not there. */
export async function loadIssue(actor: Actor, here: IssueHere, choice: string, search: Search): Promise<Loaded> {
  const deps = app()
  const range = rangeOf({ t: item(search.t), from: item(search.from), to: item(search.to) })
  const span =
    range.kind === 'relative'
      ? { statsPeriod: range.period }
      : { start: new Date(range.fromMs).toISOString(), end: new Date(range.toMs).toISOString() }
  const { organization, project, issue } = here
  const environments = item(search.env)?.split(',').filter(Boolean) ?? []
  const environment = environments.length ? environments : undefined
  const nothing: Loaded = {
    detail: undefined,
    event: undefined,
    marks: undefined,
    suspects: undefined,
    parts: noParts,
    away: true,
  }
  try {
    const view = { organization, projects: [project], environments, range: spanOf(span, deps.clock.now()) }
    const marks = givenMarks(view, marksQuery({ project: [String(project.id)], environment, ...span }))
    nothing.marks = marks
    const readable = readableIds(actor, organization)
    const asked = rowOf(here, choice)
    const row = asked.then((found) => found.row)
    const event = row.then((found) => found && placeEvent(deps, issue, found, readable))
    const counted = issueWithTags(deps, { ...view, meUserId: actor.person.id }, issue, tagValuesMax, readable)
    const page = Promise.all([asked, counted, event])
    const { fromMs, toMs } = view.range
    const scope = { projectIds: [project.id], environments, fromMs, toMs }
    const [[{ away }, { detail, tags }, shown], beside] = await Promise.all([
      page,
      givenParts(actor, here, { scope, readable, row, event, page }),
    ])
    if (away) return nothing
    const suspects = shown && committersOf(deps, { organization, project, issue, event: shown })
    const parts = {
      ...beside,
      query: JSON.stringify({ ...span, environment }),
      tags: tags.map((tag) => toRestTag(tag, tagValuesMax)),
    }
    return { detail, event: shown, marks, suspects, parts, away: false }
  } catch (error) {
    const code = codeOf(error)
    if (code === 'NOT_FOUND') notFound()
    // A range that the API refuses: the browser asks itself then, and says why.
    if (code === 'STORE_UNAVAILABLE' || code === 'QUERY_TIMEOUT' || code === 'VALIDATION') return nothing
    throw error
  }
}
