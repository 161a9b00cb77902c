import { notFound } from 'next/navigation'
import { readableIds } from '../../../../../../auth/allowed-projects.ts'
import type { Actor } from '../../../../../../auth/auth.ts'
import { eventRowOf, positionEvent } from '../../../../../../query/events.ts'
import { issueWithTags } from '../../../../../../query/issues/issue.ts'
import { rangeOf as spanOf } from '../../../../../../query/range.ts'
import type { SeenEvent } from '../../../../../../store/events/events.ts'
import { app } from '../../../../../handle.ts'
import { tagValuesMax } from '../../../../../panels/issue/load.ts'
import type { LoadedIssue } from '../../../../../panels/issue/use-issue.ts'
import type { IssueRequest } from '../../../../../panels/loader.ts'
import type { Preloaded } from '../../../../../panels/panel.ts'
import { rangeOf } from '../../../../../panels/search/range.ts'
import type { IssueHere } from '../../../../../server/issues.ts'
import { codeOf } from '../../../../../server/unless-away.ts'
import { issueLoaders } from './loaders.ts'

export type Search = Record<string, string | string[] | undefined>

/** How long the document waits for panels with `mayBeLate`, ms. It waits at least until the issue is loaded. */
const waitMs = 300

const textOf = (value: string | string[] | undefined): string | null => (typeof value === 'string' ? value : null)

/** The event in the URL; undefined if the issue has none, or the store is down (`isAway`). Throws NOT_FOUND. */
async function rowOf(here: IssueHere, choice: string): Promise<{ row: SeenEvent | undefined; isAway: boolean }> {
  try {
    return { row: await eventRowOf(app(), here.issue, choice), isAway: false }
  } catch (error) {
    const code = codeOf(error)
    if (code === 'STORE_UNAVAILABLE' || code === 'QUERY_TIMEOUT') return { row: undefined, isAway: true }
    if (code === 'NOT_FOUND' && choice === 'latest') return { row: undefined, isAway: false }
    throw error
  }
}

/**
 * Runs all loaders and adds their results to `preloaded` by panel id. Skips `mayBeLate` panels that are late or fail:
 * the browser loads them. Rethrows the errors of others. `page` is the data that the page requires.
 */
async function loadPanels(
  request: IssueRequest,
  page: Promise<unknown>,
  preloaded: Record<string, unknown>,
): Promise<void> {
  const done = new AbortController()
  const lateness = Promise.allSettled([page, app().clock.sleep(waitMs, done.signal)]).then(() => undefined)
  try {
    await Promise.all(
      Object.entries(issueLoaders).map(async ([id, { load, mayBeLate }]) => {
        const loading = load(request)
        const data = await (mayBeLate ? Promise.race([loading.catch(() => undefined), lateness]) : loading)
        if (data !== undefined) preloaded[id] = data
      }),
    )
  } finally {
    done.abort()
  }
}

/** Loads the issue page for the range and environment in its query string. Answers 404 for an unknown event. */
export async function loadIssue(
  actor: Actor,
  here: IssueHere,
  choice: string,
  search: Search,
): Promise<{ loaded: LoadedIssue; preloaded: Preloaded }> {
  const deps = app()
  const requestedRange = rangeOf({ t: textOf(search.t), from: textOf(search.from), to: textOf(search.to) })
  const span =
    requestedRange.kind === 'relative'
      ? { statsPeriod: requestedRange.period }
      : { start: new Date(requestedRange.fromMs).toISOString(), end: new Date(requestedRange.toMs).toISOString() }
  const { organization, project, issue } = here
  const environments = textOf(search.env)?.split(',').filter(Boolean) ?? []
  const query = { ...span, environment: environments.length ? environments : undefined }
  const preloaded: Record<string, unknown> = {}
  const away = { loaded: { detail: undefined, event: undefined, isAway: true }, preloaded }
  try {
    const range = spanOf(span, deps.clock.now())
    const view = { organization, projects: [project], environments, range, meUserId: actor.person.id }
    const readable = await readableIds(app(), actor, organization)
    const found = rowOf(here, choice)
    const row = found.then((answer) => answer.row)
    const event = row.then((stored) => stored && positionEvent(deps, issue, stored, readable))
    const counted = issueWithTags(deps, view, issue, tagValuesMax, readable)
    const page = Promise.all([found, counted, event])
    const request = { actor, here, readable, range, environments, query, counted, row, event }
    const [[{ isAway }, { detail }, shown]] = await Promise.all([page, loadPanels(request, page, preloaded)])
    return isAway ? away : { loaded: { detail, event: shown, isAway: false }, preloaded }
  } catch (error) {
    const code = codeOf(error)
    if (code === 'NOT_FOUND') notFound()
    // The API rejects such a range too: the browser's own request shows the reason.
    if (code === 'STORE_UNAVAILABLE' || code === 'QUERY_TIMEOUT' || code === 'VALIDATION') return away
    throw error
  }
}
