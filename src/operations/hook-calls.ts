import { createAttempts } from '../auth/attempts.ts'
import { addressOf } from '../auth/guarded.ts'
import type { Clock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import type { Observe } from '../base/observe.ts'
import { hasSignature, unreadBodyHeader } from '../domain/alerts/hook-calls.ts'
import type { HookOutcome } from '../domain/alerts/trackers.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'
import type { HookCount } from '../store/meta/trackers/hooks.ts'

/** Refused calls per receiver and address before each further one causes a delay, and per address and minute. */
export const hookLimits = { freeFailures: 30, addressFailuresMax: 120 }
const flushMs = 5_000
/** Counts that wait. Callers can invent connections; the next write forgets those. */
const countsMax = 10_000
/** Longer names are callers' inventions, and the limits remember them. */
const receiverCharactersMax = 100

/** Whom a service calls: a connection by its id, an organization of Slack by its slug. */
type Receiver = { service: 'tracker' | 'slack'; name: string }

/** The calls that services make without a token: webhooks of trackers, clicks in Slack. */
export type HookCalls = {
  /**
   * Runs `work`, which resolves once a signature has proved the sender. If it throws an expected error of the caller (4xx),
   * the call counts as refused. Throws HOOK_LIMITED without running `work` while too many were refused. Calls with and
   * without a signature have limits of their own, so that a flood of unsigned ones delays nobody who signs.
   */
  guard<Answer>(receiver: Receiver, headers: Headers, work: () => Promise<Answer>): Promise<Answer>
  /** Counts a delivery of a tracker. The count is stored within 5 s. */
  count(integrationId: number, outcome: HookOutcome): void
  /** The counts that are not stored yet. */
  waiting(): readonly HookCount[]
  /** Stores the counts that wait. If that fails, they wait for the next time. */
  flush(): Promise<void>
  /** Stores the counts for the last time. */
  stop(): Promise<void>
}

type Deps = {
  clock: Clock
  meta: MetaWith<'trackers.countHooks'>
  observe: Pick<Observe, 'warn'>
}

/** Counts by connection and outcome that are not stored yet. */
function createCounts({ clock, meta, observe }: Deps) {
  const waiting = new Map<string, HookCount>()
  const add = (integrationId: number, outcome: HookOutcome, quantity = 1) => {
    const key = `${integrationId} ${outcome}`
    const found = waiting.get(key)
    if (found) found.quantity += quantity
    else if (waiting.size < countsMax) waiting.set(key, { integrationId, outcome, quantity })
  }
  const write = async () => {
    const counts = [...waiting.values()]
    waiting.clear()
    if (counts.length === 0) return
    try {
      await meta.trackers.countHooks(counts, clock.now())
    } catch (error) {
      for (const { integrationId, outcome, quantity } of counts) add(integrationId, outcome, quantity)
      observe.warn({ error: String(error).slice(0, 300) }, 'counts of webhooks were not stored; they are kept')
    }
  }
  return { add, write, waiting: () => [...waiting.values()] }
}

/** Creates the limits and counts of calls. They are in memory, and counts are stored every 5 s. */
export function createHookCalls(deps: Deps): HookCalls {
  const { clock, observe } = deps
  const signed = createAttempts(clock, hookLimits)
  const unsigned = createAttempts(clock, hookLimits)
  const counts = createCounts(deps)
  /** Refused calls since the last line in the log, by service. A line for each would let strangers fill the disk. */
  const refused = { tracker: 0, slack: 0 }
  const report = () => {
    if (refused.tracker + refused.slack === 0) return
    observe.warn({ ...refused }, 'calls of webhooks without a valid signature were refused')
    Object.assign(refused, { tracker: 0, slack: 0 })
  }
  let writing = Promise.resolve()
  const flush = () => {
    report()
    writing = writing.then(counts.write)
    return writing
  }
  const cancel = clock.every(flushMs, () => void flush())
  return {
    guard: async ({ service, name }, headers, work) => {
      const isSigned = hasSignature((header) => headers.get(header))
      const attempts = isSigned ? signed : unsigned
      const receiver = `${service} ${name.slice(0, receiverCharactersMax)}`
      const address = addressOf(headers)
      // Process main reads no body while it remembers the pause of an address. Without its body nothing can be proved.
      const waitS = attempts.waitS(receiver, address) || (isSigned && headers.has(unreadBodyHeader) ? 1 : 0)
      if (waitS > 0) {
        refused[service] += 1
        if (service === 'tracker') counts.add(Number(name), 'limited')
        throw new MishapError('HOOK_LIMITED', { retryAfterS: waitS })
      }
      try {
        const answer = await work()
        attempts.succeeded(receiver, address)
        return answer
      } catch (error) {
        // Our own failures are not the caller's.
        if (error instanceof MishapError && error.status < 500) {
          refused[service] += 1
          attempts.failed(receiver, address)
        }
        throw error
      }
    },
    count: (integrationId, outcome) => counts.add(integrationId, outcome),
    waiting: counts.waiting,
    flush,
    stop: () => {
      cancel()
      return flush()
    },
  }
}
