import type { Clock } from '../base/clock.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'

/** Where what is known of the clock outlives a restart. */
const valueName = 'retention-clock'
const hourMs = 3_600_000
/** A clock that is this much ahead is believed: a machine that was off for a night, and no retention is shorter. */
const aheadMs = 24 * hourMs
/** A longer way is believed once the machine has run with that clock for this long, pauses not counted. */
const evenMs = 72 * hourMs
/** Looks come once an hour: of a longer gap (the machine was off) no more than this counts. */
const gapMs = 2 * hourMs
/**
 * A pause up to this is taken for the machine's habit once it was believed: it is off at weekends, or on one day a week.
 * It is also the most that a wrong clock could let go too early afterwards.
 */
const habitMs = 8 * 24 * hourMs

/** The clock says something else than what was believed: since when, when it was looked at last, and the even time so far. */
type Leap = { sinceMs?: number; lastMs: number; evenMs: number; pauseMs?: number }
/** `atMs`: the latest time that was believed. `pauseMs`: the longest pause that is the machine's habit. */
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

/** Where nothing is known yet: a new installation has nothing to lose; an older one may have a wrong clock just now. */
const firstMs = (meta: Meta, nowMs: number): number =>
  meta.organizations().every((organization) => Math.abs(nowMs - organization.createdMs) <= evenMs) ? nowMs : 0

const asHabit = (passedMs: number): number => (passedMs <= habitMs ? Math.max(0, passedMs) : 0)

/**
 * A leap after one more look. What it has gathered stays over pauses of any length, so that it ends on every machine that
 * runs at all; a clock that goes back by more than a day within it, or from behind the believed time to ahead of it,
 * begins anew.
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
 * The time by which things may be deleted for good. A clock that leaps far ahead is not believed before the machine has
 * run with it for three days: until then this stands still where the clock was last believed. Back is always believed, as
 * that deletes less, but the way ahead again is then free up to where it was. A pause that was believed in this way is
 * believed at once from then on. Called once an hour; remembers over a restart. `held` says since when (by the clock that
 * is not believed) it waits, and for how long the machine has run since.
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
