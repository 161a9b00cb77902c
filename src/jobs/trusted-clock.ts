import type { Clock } from '../base/clock.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'

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
type Leap = { sinceMs?: number; lastMs: number; evenMs: number; pauseMs?: number }
/** `atMs`: latest trusted time. `pauseMs`: longest habitual pause of the machine. */
type Known = { atMs: number; pauseMs?: number; leap?: Leap }

function readKnown(meta: Pick<MetaStore, 'getValue'>): Known | undefined {
  try {
    const known = JSON.parse(meta.getValue(valueName) ?? '') as Known
    return Number.isFinite(known.atMs) ? known : undefined
  } catch {
    return undefined
  }
}

type Meta = Pick<MetaStore, 'getValue' | 'setValue' | 'organizations'>

/** Without a state: a new installation has nothing to lose, but the clock of an older one can be wrong right now. */
const firstMs = (meta: Meta, nowMs: number): number =>
  meta.organizations().every((organization) => Math.abs(nowMs - organization.createdMs) <= evenMs) ? nowMs : 0

const asHabit = (passedMs: number): number => (passedMs <= habitMs ? Math.max(0, passedMs) : 0)

/**
 * Updates a leap after one more look. Its running time survives pauses of any length, so that every machine that runs
 * at times gets through. A leap restarts if the clock goes back by more than a day, or moves from before the trusted
 * time to after it.
 */
function lookAgain(before: Leap | undefined, nowMs: number, atMs: number): Required<Leap> {
  const passedMs = before ? nowMs - before.lastMs : Number.NaN
  if (!before || !(passedMs >= -aheadMs) || before.lastMs < atMs !== nowMs < atMs)
    return { sinceMs: nowMs, lastMs: nowMs, evenMs: 0, pauseMs: asHabit(nowMs - atMs) }
  return {
    sinceMs: before.sinceMs ?? before.lastMs,
    lastMs: nowMs,
    evenMs: before.evenMs + Math.min(Math.max(0, passedMs), gapMs),
    pauseMs: Math.max(before.pauseMs ?? 0, asHabit(passedMs)),
  }
}

/**
 * Returns the time to use for permanent deletion. A clock that jumps far ahead is not trusted until the machine has run
 * with it for three days. Until then the time stays at the last trusted value. A clock that goes back is always
 * trusted, because this deletes less. Afterwards it can advance freely to its former value. Once trusted, a pause of
 * that length is trusted at once. Called once an hour; survives a restart. `held` has the start of the wait (by the
 * untrusted clock) and the running time since.
 */
export function trustedNow({ clock, meta }: { clock: Clock; meta: Meta }): {
  nowMs: number
  held?: { clockMs: number; sinceMs: number; evenMs: number }
} {
  const nowMs = clock.now()
  const before = readKnown(meta)
  const keep = (known: Known) => meta.setValue(valueName, JSON.stringify(known))
  const atMs = before?.atMs ?? firstMs(meta, nowMs)
  const pauseMs = before?.pauseMs ?? 0
  const habit = pauseMs > 0 ? { pauseMs } : {}
  const nearMs = aheadMs + (nowMs > atMs ? pauseMs : 0)
  if (Math.abs(nowMs - atMs) <= nearMs) {
    keep({ atMs: Math.max(atMs, nowMs), ...habit })
    return { nowMs }
  }
  const leap = lookAgain(before?.leap, nowMs, atMs)
  if (leap.evenMs >= evenMs) {
    const learned = Math.max(pauseMs, leap.pauseMs)
    keep({ atMs: nowMs, ...(learned > aheadMs ? { pauseMs: learned } : {}) })
    return { nowMs }
  }
  keep({ atMs, ...habit, leap })
  return nowMs < atMs
    ? { nowMs }
    : { nowMs: atMs, held: { clockMs: nowMs, sinceMs: leap.sinceMs, evenMs: leap.evenMs } }
}
