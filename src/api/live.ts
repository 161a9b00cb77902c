import { readableIds } from '../auth/allowed-projects.ts'
import type { Actor } from '../auth/auth.ts'
import { MishapError } from '../base/errors.ts'
import type { LiveChange } from '../contract/live.ts'
import type { App } from '../processes/parts.ts'
import type { Organization } from '../store/meta/meta.ts'

const heartbeatMs = 15_000
/** Maximum messages waiting for a slow reader. Above it the connection ends and the browser resumes by id. */
const waitingMax = 1000
const utf8 = new TextEncoder()
/** The id to subscribe after when a stream starts now. */
const fromNow = 0

const isDatabaseAway = (error: unknown): boolean =>
  error instanceof MishapError && error.code === 'DATABASE_UNAVAILABLE'

/** Returns the part of a change that the caller can see; undefined if nothing is left, `missed` if nothing can be said. */
async function seenBy(
  app: App,
  actor: Actor,
  organization: Organization,
  change: LiveChange,
): Promise<LiveChange | undefined> {
  if (change.kind !== 'events') return change
  try {
    const projectIds = new Set((await readableIds(app, actor, organization)).map(String))
    const projects = change.projects.filter((project) => projectIds.has(project.id))
    return projects.length ? { kind: 'events', projects } : undefined
  } catch (error) {
    if (!isDatabaseAway(error)) throw error
    return { kind: 'missed' }
  }
}

/**
 * Whether the login session or token of a stream has ended. While the database is away the stream stays: nothing of an
 * organization changes then, and the open page hears that the database is back.
 */
const hasEnded = (stillMay: () => Promise<boolean>): Promise<boolean> =>
  stillMay().then(
    (may) => !may,
    (error: unknown) => !isDatabaseAway(error),
  )

/** Runs works one after the other. Calls `failed` when one of them throws, or when more than `waitingMax` wait. */
function createLine(failed: () => void): (work: () => Promise<void>) => void {
  let last = Promise.resolve()
  let waiting = 0
  return (work) => {
    waiting += 1
    if (waiting > waitingMax) return failed()
    const next = async () => {
      await work()
      waiting -= 1
    }
    last = last.then(next).catch(failed)
  }
}

/** Returns whether the session or token is still valid and can still read the organization. */
export async function isStill(app: App, actor: Actor, organization: Organization, headers: Headers): Promise<boolean> {
  const now = await app.auth.actorOf(headers)
  return now?.person.id === actor.person.id && (await app.auth.may(now, 'issue:read', { organization })) === 'yes'
}

/** The change that says that events cannot be queried, with the host of a ClickHouse server. */
function outageOf(app: App): LiveChange {
  const host = app.eventsServer()?.host
  return { kind: 'engine', up: false, ...(host === undefined ? {} : { host }) }
}

/**
 * Returns server-sent events of an organization: `event: change` with a LiveChange and an id, and a comment every 15 s.
 * `lastId` ('' for none) resumes after a disconnect or after the page was rendered. The stream starts with `missed` if
 * some changes are no longer stored, and with the engine state if the engine is down. `stillMay` is called every 15 s,
 * because a stream would outlive its login session or token. Throws REQUEST_TOO_MANY_STREAMS.
 */
export function liveStream(
  app: App,
  actor: Actor,
  organization: Organization,
  lastId: string,
  signal: AbortSignal,
  stillMay: () => Promise<boolean> = async () => true,
): Response {
  const after = /^\d{1,16}$/.test(lastId) ? Number(lastId) : fromNow
  const leave = app.live.admit(actor.person.id)
  if (!leave) throw new MishapError('REQUEST_TOO_MANY_STREAMS', { retryAfterS: 30 })
  let stop: () => void = leave
  let ended = false
  const stream = new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        const send = (message: string) => {
          if (!ended && (controller.desiredSize ?? 0) < -waitingMax) close()
          else if (!ended) controller.enqueue(utf8.encode(message))
        }
        const close = () => {
          if (ended) return
          ended = true
          stop()
          controller.close()
        }
        const write = (liveChange: LiveChange, id?: number) =>
          send(`${id === undefined ? '' : `id: ${id}\n`}event: change\ndata: ${JSON.stringify(liveChange)}\n\n`)
        send('retry: 1000\n\n')
        const forward = async (id: number, change: LiveChange) => {
          if (ended) return
          const seen = await seenBy(app, actor, organization, change)
          if (seen) write(seen, id)
        }
        // One after the other: which projects the person can read is a query, and changes must keep their order.
        const inLine = createLine(close)
        const unsubscribe = app.live.subscribe(organization.id, after, (id, change) => {
          // Events before it wait for the database. The page must hear of its outage now.
          if (change.kind === 'database') write(change)
          else inLine(() => forward(id, change))
        })
        // A screen that was rendered after the outage began gets no change event for it. The changes so far come first.
        if (!app.engineUp()) inLine(async () => write(outageOf(app)))
        const cancelHeartbeat = app.clock.every(heartbeatMs, () => {
          send(': still here\n\n')
          void hasEnded(stillMay).then((ended) => ended && close())
        })
        stop = () => {
          unsubscribe()
          cancelHeartbeat()
          leave()
        }
        if (signal.aborted) return close()
        signal.addEventListener('abort', close, { once: true })
      },
      cancel: () => {
        ended = true
        stop()
      },
    },
    { highWaterMark: 1 },
  )
  return new Response(stream, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    },
  })
}
