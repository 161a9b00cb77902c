import { MishapError } from '../base/errors.ts'
import type { TrackerKind } from '../domain/alerts/trackers.ts'
import type { Integration } from '../store/meta/trackers/integrations.ts'
import { github } from './github.ts'
import { gitlab } from './gitlab.ts'
import { jira } from './jira.ts'
import { linear } from './linear.ts'
import { line } from './text.ts'
import { type Connection, type Tracker, type TrackerDeps, TrackerFailure } from './tracker.ts'
import { guardedFetch } from './transport.ts'

const services: Readonly<Record<TrackerKind, (connection: Connection, nowMs: () => number) => Tracker>> = {
  github,
  gitlab,
  jira,
  linear,
}

type Described = Pick<Integration, 'kind' | 'url' | 'target' | 'email'>

/**
 * The failure of a call. Whatever else than TrackerFailure and OUTGOING_* comes out of a vendor's client is about an answer
 * that nobody documents. It must not end the calls of others.
 */
function failureOfCall(error: unknown): Error {
  if (error instanceof TrackerFailure || error instanceof MishapError) return error
  const words = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return new TrackerFailure('refused', line(`The answer is not one of the API (${words})`, 300))
}

async function called<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw failureOfCall(error)
  }
}

/** The calls of a service with a token that is not stored yet. */
export function trackerWith(
  deps: Pick<TrackerDeps, 'outgoing' | 'clock'>,
  described: Described,
  token: string,
): Tracker {
  const { kind, url, target, email } = described
  const connection = { url, target, email, token, fetch: guardedFetch(deps.outgoing, url) }
  const tracker = services[kind](connection, deps.clock.now)
  return {
    idOf: tracker.idOf,
    check: () => called(() => tracker.check()),
    create: (text) => called(() => tracker.create(text)),
    issue: (id) => called(() => tracker.issue(id)),
    setState: (id, state) => called(() => tracker.setState(id, state)),
    comment: (id, text) => called(() => tracker.comment(id, text)),
  }
}

/** Why a call failed, as a sentence for people: the service's own words. */
export function failureWords(error: unknown): string {
  if (error instanceof TrackerFailure || error instanceof MishapError) return error.message
  throw error
}

/**
 * Runs calls of a connection and stores what they say about its token: a refused token stops all later calls until a
 * person reconnects. Throws like `work`, and TrackerFailure `token` when the token cannot be decrypted.
 */
export async function withTracker<T>(
  deps: TrackerDeps,
  integration: Integration,
  work: (tracker: Tracker) => Promise<T>,
): Promise<T> {
  const { meta, clock } = deps
  const note = (error: string, refused: boolean) =>
    meta.trackers.setIntegrationError(integration.id, error, refused, clock.now())
  let token: string
  try {
    token = deps.open(integration.sealedToken)
  } catch {
    const words = 'The stored token cannot be decrypted: the secrets of the data folder have changed.'
    await note(words, true)
    throw new TrackerFailure('token', words)
  }
  try {
    const done = await work(trackerWith(deps, integration, token))
    if (integration.lastError !== '' || integration.refusedMs !== null) await note('', false)
    return done
  } catch (error) {
    await note(failureWords(error), error instanceof TrackerFailure && error.kind === 'token')
    throw error
  }
}

/** The error of a call for REST and the screens: the words are under the field `tracker`. */
export function shownFailure(error: unknown): MishapError {
  if (error instanceof MishapError) return error
  const words = failureWords(error)
  return new MishapError('VALIDATION', { detail: words, fields: { tracker: [words] } })
}
