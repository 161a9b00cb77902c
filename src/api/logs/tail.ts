import { MishapError } from '../../base/errors.ts'
import type { TailMessage } from '../../contract/explore/logs.ts'
import type { App } from '../../processes/parts.ts'
import { type LogView, logCondition, scopeOfLogs } from '../../query/logs/condition.ts'
import { lineReader, logPosition } from '../../query/logs/lines.ts'
import type { Filter } from '../../store/events/question.ts'

const heartbeatMs = 15_000
/** Commits come up to seven times a second. A reader sees no difference between 250 ms and less, the engine does. */
const readEachMs = 250
/** Lines of one read: 4,000 lines/s. More would fill a screen several times between two reads. */
const linesMax = 1000
/** Bytes that wait for a slow connection. Above it lines are left out, and the gap is told. */
const waitingBytesMax = 2 * 1024 * 1024
/** A line of a tail can be this old: senders buffer, and their clocks are wrong. */
const lateMs = 3_600_000
const droppedEachMs = 5000
const hourMs = 3_600_000
const utf8 = new TextEncoder()

type TailRequest = { view: LogView; query: string; columns: readonly string[]; position: string; signal: AbortSignal }

/** The sum of the lines that the rate limits of these projects have dropped since the hour of `fromMs`. */
async function droppedSince({ meta }: Pick<App, 'meta'>, projectIds: number[], fromMs: number): Promise<number> {
  const sums = await meta.ledger.outcomeSums({ projectIds, fromMs })
  return sums
    .filter(({ category, outcome }) => category === 'log_item' && outcome === 'rate_limited')
    .reduce((sum, { quantity }) => sum + quantity, 0)
}

/** Reads what was committed since the last call, and counts what it leaves out. */
function createReader(app: App, { view, columns, signal }: TailRequest, filter: Filter | undefined, from: number) {
  const reading = lineReader(view, columns)
  const scope = scopeOfLogs(view)
  const startMs = app.clock.now()
  let position = from
  let dropped: number | undefined
  let droppedAtMs = 0
  const droppedNow = async (nowMs: number): Promise<TailMessage[]> => {
    if (nowMs - droppedAtMs < droppedEachMs) return []
    droppedAtMs = nowMs
    const sum = await droppedSince(app, scope.projectIds, startMs - hourMs)
    const count = sum - (dropped ?? sum)
    dropped = sum
    return count > 0 ? [{ kind: 'gap', count, reason: 'dropped', at: new Date(nowMs).toISOString() }] : []
  }
  return {
    position: () => position,
    /** `isFull`: the connection is slow, so that lines are only counted. */
    async read(isFull: boolean): Promise<TailMessage[]> {
      const to = await logPosition(app)
      const nowMs = app.clock.now()
      const since = { ...scope, fromMs: Math.min(startMs, nowMs) - lateMs, toMs: nowMs + lateMs }
      const max = isFull ? 1 : linesMax
      const { lines, total } = await app.events.logTail({
        scope: since,
        filter,
        columns: reading.columns,
        from: position,
        to,
        max,
        signal,
      })
      position = Math.max(position, to)
      const shown = isFull ? [] : lines
      const left = total - shown.length
      const rest = shown.map(reading.toRest)
      const messages: TailMessage[] = []
      if (rest.length > 0) messages.push({ kind: 'lines', lines: rest })
      const at = rest.at(-1)?.timestamp ?? new Date(nowMs).toISOString()
      if (left > 0) messages.push({ kind: 'gap', count: left, reason: 'slow', at })
      return [...messages, ...(await droppedNow(nowMs))]
    },
  }
}

/** Calls `run` after commits, one at a time and not more often than each `readEachMs`. Returns the function to stop. */
function afterCommits(app: App, run: () => Promise<void>): () => void {
  let isRunning = false
  let isWanted = true
  let isStopped = false
  let cancel = () => {}
  const next = () => {
    if (isStopped || isRunning || !isWanted) return
    isWanted = false
    isRunning = true
    void run().finally(() => {
      cancel = app.clock.after(readEachMs, () => {
        isRunning = false
        next()
      })
    })
  }
  const leave = app.live.onCommit(() => {
    isWanted = true
    next()
  })
  next()
  return () => {
    isStopped = true
    cancel()
    leave()
  }
}

/**
 * Returns server-sent events with the lines of a search as they are stored: `event: tail` with a TailMessage. The id of
 * a message is the position to go on at, so a tail that reconnects loses nothing. It begins after `position`, or now.
 * `stillMay` is called every 15 s. Throws QUERY_*, REQUEST_TOO_MANY_STREAMS.
 */
export async function logTail(
  app: App,
  personId: string,
  request: TailRequest,
  stillMay: () => Promise<boolean>,
): Promise<Response> {
  const { filter } = await logCondition(app, request.view, request.query)
  const cursor = await logPosition(app)
  const asked = /^\d{1,16}$/.test(request.position) ? Number(request.position) : cursor
  const reader = createReader(app, request, filter, Math.min(asked, cursor))
  const leave = app.live.admit(personId)
  if (!leave) throw new MishapError('REQUEST_TOO_MANY_STREAMS', { retryAfterS: 30 })
  let stop: () => void = leave
  let isEnded = false
  const stream = new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        const close = () => {
          if (isEnded) return
          isEnded = true
          stop()
          controller.close()
        }
        const send = (text: string) => !isEnded && controller.enqueue(utf8.encode(text))
        send('retry: 1000\n\n')
        const unlisten = afterCommits(app, async () => {
          if (isEnded) return
          try {
            const isFull = (controller.desiredSize ?? 0) < -waitingBytesMax
            for (const message of await reader.read(isFull))
              send(`id: ${reader.position()}\nevent: tail\ndata: ${JSON.stringify(message)}\n\n`)
          } catch (error) {
            // A store that is away for a moment: the browser connects again and goes on at its last position.
            if (!request.signal.aborted) app.observe.warn({ error: String(error) }, 'a live tail ended')
            close()
          }
        })
        const unbeat = app.clock.every(heartbeatMs, () => {
          send(': still here\n\n')
          void stillMay().then(
            (may) => !may && close(),
            () => {},
          )
        })
        stop = () => {
          unlisten()
          unbeat()
          leave()
        }
        if (request.signal.aborted) return close()
        request.signal.addEventListener('abort', close, { once: true })
      },
      // A canceled stream takes nothing more: closing it would throw, and end the process if nobody waits for it.
      cancel: () => {
        isEnded = true
        stop()
      },
    },
    { highWaterMark: 0, size: (chunk) => chunk.byteLength },
  )
  return new Response(stream, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    },
  })
}
