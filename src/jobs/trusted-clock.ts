import type { Clock } from '../clock.ts'
import type { MetaStore } from '../store/meta/meta.ts'

/** Where what is known of the clock outlives a restart. */
const valueName = 'retention-clock'
const hourMs = 3_600_000
/** A clock that is this much ahead is believed: a machine that was off for a night, and no retention is shorter. */
const aheadMs = 24 * hourMs
/** A longer way is believed once the clock has run evenly for this long. */
const evenMs = 72 * hourMs

/**
 * `atMs`: the latest time that was believed. `leap`: the clock says something else since; when it was looked at last, and
 * for how long it has run evenly.
 */
type Known = { atMs: number; leap?: { lastMs: number; evenMs: number } }

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
  meta.organizations().every((one) => Math.abs(nowMs - one.createdMs) <= evenMs) ? nowMs : 0

/**
 * The time by which things may be deleted for good. A clock that leaps far ahead is not believed before it has run
 * evenly for three days: until then this stands still where the clock was last believed. Back is always believed, as
 * that deletes less, but the way ahead again is then free up to where it was. Called once an hour; remembers over a
 * restart. `held` says for how long the clock has run evenly since a leap that is not believed yet.
 */
export function trustedNow({ clock, meta }: { clock: Clock; meta: Meta }): {
  nowMs: number
  held?: { clockMs: number; evenMs: number }
} {
  const nowMs = clock.now()
  const before = readKnown(meta)
  const keep = (known: Known) => meta.setValue(valueName, JSON.stringify(known))
  const atMs = before?.atMs ?? firstMs(meta, nowMs)
  const isNear = Math.abs(nowMs - atMs) <= aheadMs
  if (isNear) {
    keep({ atMs: Math.max(atMs, nowMs) })
    return { nowMs }
  }
  const passedMs = before?.leap ? nowMs - before.leap.lastMs : Number.NaN
  // NaN and a leap within the leap begin anew; of a pause (the machine was off) only two hours count.
  const goesOn = passedMs >= 0 && passedMs <= aheadMs
  const ranMs = goesOn ? (before?.leap?.evenMs ?? 0) + Math.min(passedMs, 2 * hourMs) : 0
  if (ranMs >= evenMs) {
    keep({ atMs: nowMs })
    return { nowMs }
  }
  keep({ atMs, leap: { lastMs: nowMs, evenMs: ranMs } })
  return nowMs < atMs ? { nowMs } : { nowMs: atMs, held: { clockMs: nowMs, evenMs: ranMs } }
}
