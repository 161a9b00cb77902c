import type { Clock } from '../base/clock.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'

/** Name of the stored state, which survives a restart. */
const valueName = 'retention-clock'
const hourMs = 3_600_000
/** A jump up to this is trusted: a machine can be off overnight, and no retention is shorter. */
const aheadMs = 24 * hourMs
/** A larger jump is trusted once the machine has run this long with the new clock, excluding pauses. */
const evenMs = 72 * hourMs
/** Looks come once an hour. A longer gap (the machine was off) counts at most this. */
const gapMs = 2 * hourMs
/**
 * A trusted pause up to this length counts as a habit of the machine: off at weekends, or on for one day a week. It
 * also limits how much too early a wrong clock could delete afterwards.
 */
const habitMs = 8 * 24 * hourMs

/** A clock jump that is not trusted yet: its start, the last look, and the running time so far. */
type ClockJump = { sinceMs?: number; lastMs: number; evenMs: number; pauseMs?: number }
/** `atMs`: latest trusted time. `pauseMs`: longest habitual pause of the machine. */
type TrustedState = { atMs: number; pauseMs?: number; leap?: ClockJump }

async function readTrustedState(meta: MetaWith<'values.getValue'>): Promise<TrustedState | undefined> {
  try {
    const state = JSON.parse((await meta.values.getValue(valueName)) ?? '') as TrustedState
    return Number.isFinite(state.atMs) ? state : undefined
  } catch {
    return undefined
  }
}

type Meta = MetaWith<'values.getValue' | 'values.setValue' | 'organizations.organizations'>

/** Without a state: a new installation has nothing to lose, but the clock of an older one can be wrong right now. */
const firstMs = async (meta: Meta, nowMs: number): Promise<number> =>
  (await meta.organizations.organizations()).every((organization) => Math.abs(nowMs - organization.createdMs) <= evenMs)
    ? nowMs
    : 0

const usualPauseMs = (passedMs: number): number => (passedMs <= habitMs ? Math.max(0, passedMs) : 0)

/**
 * Updates a leap after one more look. Its running time survives pauses of any length, so that every machine that runs
 * at times gets through. A leap restarts if the clock goes back by more than a day, or moves from before the trusted
 * time to after it.
 */
function nextJump(before: ClockJump | undefined, nowMs: number, atMs: number): Required<ClockJump> {
  const passedMs = before ? nowMs - before.lastMs : Number.NaN
  if (!before || !(passedMs >= -aheadMs) || before.lastMs < atMs !== nowMs < atMs)
    return { sinceMs: nowMs, lastMs: nowMs, evenMs: 0, pauseMs: usualPauseMs(nowMs - atMs) }
  return {
    sinceMs: before.sinceMs ?? before.lastMs,
    lastMs: nowMs,
    evenMs: before.evenMs + Math.min(Math.max(0, passedMs), gapMs),
    pauseMs: Math.max(before.pauseMs ?? 0, usualPauseMs(passedMs)),
  }
}

/**
 * Returns the time to use for permanent deletion. A clock that jumps far ahead is not trusted until the machine has run
 * with it for three days. Until then the time stays at the last trusted value. A clock that goes back is always
 * trusted, because this deletes less. Afterwards it can advance freely to its former value. Once trusted, a pause of
 * that length is trusted at once. Called once an hour; survives a restart. `untrusted` has the start of the wait (by the
 * untrusted clock) and the running time since.
 */
export async function trustedNow({ clock, meta }: { clock: Clock; meta: Meta }): Promise<{
  nowMs: number
  untrusted?: { clockMs: number; sinceMs: number; evenMs: number }
}> {
  const nowMs = clock.now()
  const before = await readTrustedState(meta)
  const save = (state: TrustedState) => meta.values.setValue(valueName, JSON.stringify(state))
  const atMs = before?.atMs ?? (await firstMs(meta, nowMs))
  const pauseMs = before?.pauseMs ?? 0
  const usualPause = pauseMs > 0 ? { pauseMs } : {}
  const toleranceMs = aheadMs + (nowMs > atMs ? pauseMs : 0)
  if (Math.abs(nowMs - atMs) <= toleranceMs) {
    await save({ atMs: Math.max(atMs, nowMs), ...usualPause })
    return { nowMs }
  }
  const jump = nextJump(before?.leap, nowMs, atMs)
  if (jump.evenMs >= evenMs) {
    const longestMs = Math.max(pauseMs, jump.pauseMs)
    await save({ atMs: nowMs, ...(longestMs > aheadMs ? { pauseMs: longestMs } : {}) })
    return { nowMs }
  }
  await save({ atMs, ...usualPause, leap: jump })
  return nowMs < atMs
    ? { nowMs }
    : { nowMs: atMs, untrusted: { clockMs: nowMs, sinceMs: jump.sinceMs, evenMs: jump.evenMs } }
}
