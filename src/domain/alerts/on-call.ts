/** Whose turn it is when the person of a turn has left: nobody's, until somebody edits the schedule. */
export const hole = ''

/** A weekly rota: the members take turns, from one hand-over to the next. */
export type Rota = {
  /** An IANA name, such as Europe/Berlin. */
  timeZone: string
  /** 1: Monday, 7: Sunday. */
  handOverDay: number
  /** `HH:MM` on the clock of the zone. */
  handOverTime: string
  /** `YYYY-MM-DD`. The first member has the turn in which this day begins at the hand-over. */
  startDate: string
  /** User ids in the order of their turns. `hole`: a turn of nobody. */
  members: readonly string[]
}

/** Somebody takes over for a time, whoever's turn it is. */
export type Override = { userId: string; fromMs: number; toMs: number }

/** A part of time in which one person is on call. */
export type Shift = { userId: string; fromMs: number; toMs: number; isOverride: boolean }

const dayMs = 86_400_000
const minuteMs = 60_000

/** Returns whether the platform knows the time zone. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    // Offsets such as +02:00 have no daylight-saving time, so they are not what people mean.
    return /^[A-Za-z]/.test(name)
  } catch {
    return false
  }
}

/** Makes the function that reads the clock of a zone: the local time as if it were UTC, in ms. */
function zoneClock(timeZone: string): (ms: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  return (ms) => {
    const part = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]))
    return Date.UTC(
      part.year ?? 0,
      (part.month ?? 1) - 1,
      part.day ?? 1,
      part.hour ?? 0,
      part.minute ?? 0,
      part.second ?? 0,
    )
  }
}

/**
 * Returns the moment at which the clock of the zone shows `localMs` (a local time as if it were UTC). A time that the
 * clock skips is moved forward by the gap. Of a time that comes twice it is the first. Both are the rule of RFC 5545
 * for recurring events.
 */
function momentOf(clock: (ms: number) => number, localMs: number): number {
  const offsetAt = (ms: number) => clock(ms) - Math.floor(ms / 1000) * 1000
  // No zone changes twice within two days, so these are the offsets before and after a change near `localMs`.
  const [before, after] = [offsetAt(localMs - dayMs), offsetAt(localMs + dayMs)]
  const found = [localMs - before, localMs - after].filter((ms) => clock(ms) === localMs)
  return found.length > 0 ? Math.min(...found) : localMs - before
}

/** Returns the moment of a local date and time in a zone: `2026-03-29`, `02:30`, `Europe/Berlin`. */
export function zonedMs(date: string, time: string, timeZone: string): number {
  return momentOf(zoneClock(timeZone), Date.parse(`${date}T${time}:00Z`))
}

/**
 * Returns the moment that a person typed as `2026-03-29T02:30` on the clock of a zone. Seconds are left out. Undefined: the
 * text is no time.
 */
export function typedMs(text: string, timeZone: string): number | undefined {
  const found = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d)?$/.exec(text)
  if (!found || Number.isNaN(Date.parse(`${found[1]}T${found[2]}:00Z`))) return undefined
  return zonedMs(found[1] ?? '', found[2] ?? '', timeZone)
}

/** Returns what the clock of a zone shows at a moment, to the minute: `2026-03-29T02:30`. */
export const zonedText = (atMs: number, timeZone: string): string =>
  new Date(zoneClock(timeZone)(atMs)).toISOString().slice(0, 16)

/** The turn of a rota at a moment. `turn` counts from 0 at the start date and is negative before it. */
function turnAt(rota: Rota, atMs: number): { turn: number; fromMs: number; toMs: number } {
  const clock = zoneClock(rota.timeZone)
  const startMs = Date.parse(`${rota.startDate}T${rota.handOverTime}:00Z`)
  const weekday = new Date(startMs).getUTCDay() || 7
  // The last hand-over day that is not after the start date.
  const firstMs = startMs - ((weekday - rota.handOverDay + 7) % 7) * dayMs
  const handOver = (turn: number) => momentOf(clock, firstMs + turn * 7 * dayMs)
  // The estimate is at most one turn off, near a change of the clock.
  let turn = Math.floor((clock(atMs) - firstMs) / (7 * dayMs))
  while (handOver(turn) > atMs) turn -= 1
  while (handOver(turn + 1) <= atMs) turn += 1
  return { turn, fromMs: handOver(turn), toMs: handOver(turn + 1) }
}

const memberOf = (rota: Rota, turn: number): string | undefined => {
  const count = rota.members.length
  return count === 0 ? undefined : rota.members[((turn % count) + count) % count]
}

/** The override that holds at a moment: of several, the one that was added last. `overrides`: in the order of addition. */
const overrideAt = (overrides: readonly Override[], atMs: number): Override | undefined =>
  overrides.findLast((override) => override.fromMs <= atMs && atMs < override.toMs)

/**
 * Returns who is on call at a moment, and until when; undefined for a rota without members and overrides. `overrides`: in
 * the order in which they were added.
 */
export function onCallAt(rota: Rota, overrides: readonly Override[], atMs: number): Shift | undefined {
  const override = overrideAt(overrides, atMs)
  const turn = turnAt(rota, atMs)
  const userId = override?.userId ?? memberOf(rota, turn.turn)
  if (userId === undefined) return undefined
  const edges = overrides.flatMap(({ fromMs, toMs }) => [fromMs, toMs])
  // A turn of the rota may be longer than what is left of it around overrides.
  const fromMs = Math.max(...edges.filter((ms) => ms <= atMs), override ? override.fromMs : turn.fromMs)
  const toMs = Math.min(...edges.filter((ms) => ms > atMs), override ? override.toMs : turn.toMs)
  return { userId, fromMs, toMs, isOverride: override !== undefined }
}

/**
 * Returns the order in which an alert escalates: who is on call (or `hole`), then the members whose turns come next.
 * Nobody comes twice.
 */
export function onCallOrder(rota: Rota, overrides: readonly Override[], atMs: number): string[] {
  const now = onCallAt(rota, overrides, atMs)
  const { turn } = turnAt(rota, atMs)
  const next = rota.members.flatMap((_member, step) => memberOf(rota, turn + step) ?? [])
  const [first = hole, ...others] = new Set([...(now ? [now.userId] : []), ...next])
  // Later holes are no step of an escalation.
  const order = [first, ...others.filter((userId) => userId !== hole)]
  return order.length === 1 && first === hole ? [] : order
}

/** Returns the shifts between two moments, in their order. Neighbouring shifts of one person are one shift. */
export function shiftsBetween(rota: Rota, overrides: readonly Override[], fromMs: number, toMs: number): Shift[] {
  const shifts: Shift[] = []
  for (let atMs = fromMs; atMs < toMs; ) {
    const shift = onCallAt(rota, overrides, atMs)
    if (!shift) return shifts
    const last = shifts.at(-1)
    if (last && last.userId === shift.userId && last.isOverride === shift.isOverride && last.toMs === shift.fromMs)
      last.toMs = shift.toMs
    else shifts.push({ ...shift })
    atMs = Math.max(shift.toMs, atMs + minuteMs)
  }
  return shifts
}
