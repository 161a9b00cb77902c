import { isIP } from 'node:net'
import { type SessionStatus, sessionStatuses } from '../../../store/events/session-store.ts'
import { type Loose, object, own, scalar, truth, whole } from '../../pipeline/value.ts'
import { environmentOf, releaseOf } from '../error/normalize.ts'
import { seconds } from '../error/time.ts'

/** Updates are accepted for this time after the start of their session. */
export const updateMsMax = 5 * 86_400_000
/** Maximum buckets per `sessions` item. */
export const bucketsMax = 100
/** Maximum sessions of one status per bucket. Real counts of an SDK's minute are far below. */
const bucketCountMax = 1_000_000_000
/** Tolerance for a clock that is ahead. A later start is set to the arrival time. */
const aheadMs = 60_000
const durationSMax = 366 * 86_400
const userCharactersMax = 200

/** The attributes that apply to all sessions of an item. */
export type SessionAttributes = { release: string; environment: string; address: string; agent: string }

/** The update of one session, or the sessions of a bucket that have the same status. Times in ms since 1970. */
export type SessionUpdate = {
  /** '' if the sender named none. Such a session ends with this update. */
  sid: string
  startedMs: number
  seq: number
  status: SessionStatus
  hasErrors: boolean
  isInit: boolean
  quantity: number
  /** As sent, '' if absent. */
  user: string
  /** Seconds, -1 if absent. */
  durationS: number
}

/** The arrival time of an item, and the correction of the sender's clock in seconds. */
export type SessionClock = { receivedMs: number; shiftS: number }

/** Reads `attrs`. Undefined without a release, because nothing can be counted then. */
export function attributesOf(value: unknown): SessionAttributes | undefined {
  const attrs = object(value)
  const release = attrs && releaseOf(own(attrs, 'release'))
  if (!attrs || !release) return undefined
  const address = scalar(own(attrs, 'ip_address'))?.trim() ?? ''
  return {
    release,
    environment: environmentOf(own(attrs, 'environment')) ?? '',
    address: isIP(address) ? address : '',
    agent: scalar(own(attrs, 'user_agent')) ?? '',
  }
}

const momentOf = (value: unknown, { shiftS }: SessionClock): number | undefined => {
  const found = seconds(value)
  return found === undefined ? undefined : Math.floor((found + shiftS) * 1000)
}

/** A start within the limits; undefined if absent or too old. */
function startOf(value: unknown, clock: SessionClock): number | undefined {
  const found = momentOf(value, clock)
  if (found === undefined || found < clock.receivedMs - updateMsMax) return undefined
  return found > clock.receivedMs + aheadMs ? clock.receivedMs : found
}

const userOf = (value: unknown): string => scalar(value)?.trim().slice(0, userCharactersMax).toWellFormed() ?? ''

/** Errors as a number or as a boolean. */
const hasErrors = (value: unknown): boolean => (whole(value) ?? (truth(value) ? 1 : 0)) > 0

const statusOf = (value: unknown): SessionStatus => {
  const text = scalar(value)?.trim().toLowerCase()
  // An unknown status is no outcome that this version can count.
  return sessionStatuses.find((status) => status === text) ?? 'ok'
}

function durationOf(value: unknown): number {
  const found = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof found === 'number' && found >= 0 && found <= durationSMax ? found : -1
}

/** A normalized session id; '' if absent or the nil UUID. */
function sidOf(value: unknown): string {
  const text = scalar(value)?.trim().replaceAll('-', '').toLowerCase().slice(0, 200) ?? ''
  return /^0*$/.test(text) ? '' : text.toWellFormed()
}

/**
 * Reads the update of a `session` item. `seq` is 0 at the start of a session. If the SDK sends none, the time of the
 * update is used. Undefined without a valid start. Never throws.
 */
export function updateOf(value: Loose, clock: SessionClock): SessionUpdate | undefined {
  const startedMs = startOf(own(value, 'started'), clock)
  if (startedMs === undefined) return undefined
  const sid = sidOf(own(value, 'sid'))
  // A session without an id has one update, so nothing could have started it before.
  const isInit = truth(own(value, 'init')) === true || sid === ''
  const sent = whole(own(value, 'seq'))
  const atMs = momentOf(own(value, 'timestamp'), clock) ?? clock.receivedMs
  return {
    sid,
    startedMs,
    seq: isInit ? 0 : Math.max(0, sent ?? atMs),
    status: statusOf(own(value, 'status')),
    hasErrors: hasErrors(own(value, 'errors')),
    isInit,
    quantity: 1,
    user: userOf(own(value, 'did')),
    durationS: durationOf(own(value, 'duration')),
  }
}

const bucketEnds = ['exited', 'errored', 'unhandled', 'abnormal', 'crashed'] as const

/**
 * Reads one bucket of a `sessions` item: one entry per status that has sessions. `errored` does not include worse
 * statuses. Undefined for an empty or invalid bucket.
 */
export function bucketOf(value: unknown, clock: SessionClock): SessionUpdate[] | undefined {
  const bucket = object(value)
  const startedMs = bucket && startOf(own(bucket, 'started'), clock)
  if (!bucket || startedMs === undefined) return undefined
  const user = userOf(own(bucket, 'did'))
  const found = bucketEnds.flatMap((status) => {
    const quantity = Math.min(Math.max(0, whole(own(bucket, status)) ?? 0), bucketCountMax)
    const update = { sid: '', startedMs, seq: 0, status, isInit: true, quantity, user, durationS: -1 }
    return quantity > 0 ? [{ ...update, hasErrors: status === 'errored' }] : []
  })
  return found.length > 0 ? found : undefined
}
