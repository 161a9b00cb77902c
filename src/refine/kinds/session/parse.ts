import { isIP } from 'node:net'
import { type SessionStatus, sessionStatuses } from '../../../store/events/session-store.ts'
import { type Loose, object, own, scalar, truth, whole } from '../../pipeline/value.ts'
import { environmentOf, releaseOf } from '../error/normalize.ts'
import { seconds } from '../error/time.ts'

/** Updates are taken for so long after the start of their session. */
export const updateMsMax = 5 * 86_400_000
/** Buckets of one `sessions` item. */
export const bucketsMax = 100
/** Sessions of one bucket that ended alike: what an SDK counts in a minute is far below. */
const bucketCountMax = 1_000_000_000
/** A clock may run ahead by so much; a later start is taken for the moment of arrival. */
const aheadMs = 60_000
const durationSMax = 366 * 86_400
const userCharactersMax = 200

/** What an item says about all of its sessions. */
export type SessionAttributes = { release: string; environment: string; address: string; agent: string }

/** The update of one session, or the sessions of one bucket that ended alike. Times in ms since 1970. */
export type SessionUpdate = {
  /** '' where the sender named none: the session ends with this update. */
  sid: string
  startedMs: number
  seq: number
  status: SessionStatus
  hasErrors: boolean
  isInit: boolean
  quantity: number
  /** As sent; '' for none. */
  user: string
  /** -1 for none. */
  durationS: number
}

/** When an item was received, and by how many seconds its sender's clock is off. */
export type SessionClock = { receivedMs: number; shiftS: number }

/** What `attrs` say; undefined without a release, as nothing can be counted then. */
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

/** A start that may be counted, undefined for none or one that is over. */
function startOf(value: unknown, clock: SessionClock): number | undefined {
  const found = momentOf(value, clock)
  if (found === undefined || found < clock.receivedMs - updateMsMax) return undefined
  return found > clock.receivedMs + aheadMs ? clock.receivedMs : found
}

const userOf = (value: unknown): string => scalar(value)?.trim().slice(0, userCharactersMax).toWellFormed() ?? ''

/** Errors as a number of them, or as yes or no. */
const hasErrors = (value: unknown): boolean => (whole(value) ?? (truth(value) ? 1 : 0)) > 0

const statusOf = (value: unknown): SessionStatus => {
  const text = scalar(value)?.trim().toLowerCase()
  // A status that this version does not know is no end that it could count.
  return sessionStatuses.find((status) => status === text) ?? 'ok'
}

function durationOf(value: unknown): number {
  const found = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof found === 'number' && found >= 0 && found <= durationSMax ? found : -1
}

/** A session id in one form; '' for none and for the nil UUID. */
function sidOf(value: unknown): string {
  const text = scalar(value)?.trim().replaceAll('-', '').toLowerCase().slice(0, 200) ?? ''
  return /^0*$/.test(text) ? '' : text.toWellFormed()
}

/**
 * The update that a `session` item holds. `seq` is 0 for the start of a session; an SDK that sends none orders its updates
 * by their time. Undefined without a start that may be counted. Never throws.
 */
export function updateOf(value: Loose, clock: SessionClock): SessionUpdate | undefined {
  const startedMs = startOf(own(value, 'started'), clock)
  if (startedMs === undefined) return undefined
  const sid = sidOf(own(value, 'sid'))
  // One without an id is sent once: nothing could start it before.
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
 * The sessions of one bucket of a `sessions` item, one entry for each end that has any. `errored` leaves those out that
 * ended worse, as the others do. Undefined for an empty bucket, or a value that is no bucket.
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
