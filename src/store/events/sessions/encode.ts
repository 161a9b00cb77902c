import { hash as digest } from 'node:crypto'
import { field, hash, time } from '../encode.ts'
import { type SessionRow, type SessionStatus, sessionStatuses } from '../session-store.ts'

/** Columns of a line of `encodeSessionRow`, in its order. */
export const sessionColumns = [
  'project_id',
  'minute',
  'sid',
  'release',
  'environment',
  'latest',
  'final',
  'is_init',
  'quantity',
  'user_hash',
  'duration',
  'received',
  'jpos',
  'place',
  'entries',
] as const

const codes = new Map(sessionStatuses.map((status, code) => [status, code]))
const codeOf = (status: SessionStatus): bigint => BigInt(codes.get(status) ?? 0)

/** A session with one of these is over: no later update changes how it ended. */
const finalStatuses: ReadonlySet<SessionStatus> = new Set(['exited', 'unhandled', 'abnormal', 'crashed'])

/** Over every `seq`; with the code in four bits below, all of it fits into 63 bits. */
const seqEnd = 2n ** 58n
const seqOf = (seq: number): bigint =>
  Number.isFinite(seq) && seq > 0 ? BigInt(Math.min(Math.floor(seq), Number.MAX_SAFE_INTEGER)) : 0n

/**
 * What an update says, as a number whose maximum over a session's updates is what holds: the one with the highest `seq`. The
 * lowest four bits are whether it has errors, and its status.
 */
export const latestOf = ({ seq, status, hasErrors }: Pick<SessionRow, 'seq' | 'status' | 'hasErrors'>): bigint =>
  seqOf(seq) * 16n + (hasErrors ? 8n : 0n) + codeOf(status)

/**
 * The same of how a session ended, 0 while it goes on: the maximum is the first end by `seq`, in whatever order updates come.
 */
export const finalOf = ({ seq, status }: Pick<SessionRow, 'seq' | 'status'>): bigint =>
  finalStatuses.has(status) ? (seqEnd - seqOf(seq)) * 16n + codeOf(status) : 0n

const whole = (value: number): number => (Number.isSafeInteger(value) && value > 0 ? value : 0)
/** 'YYYY-MM-DD hh:mm:00': the minute that a moment lies in. */
const minute = (ms: number): string => `${time(ms).slice(0, 16)}:00`

/** A session's number: alone it tells sessions apart, of any project and minute, which makes grouping by it cheap. */
const sessionHash = ({ projectId, startedMs, sid }: SessionRow): string =>
  hash(digest('md5', `${projectId} ${minute(startedMs)} ${sid}`, 'hex').slice(0, 16))

/** One row as a line of tab-separated values (UTF-8 once encoded), newline included; columns as in `sessionColumns`. */
export function encodeSessionRow(row: SessionRow): string {
  const duration = Number.isFinite(row.durationS) && row.durationS >= 0 ? row.durationS : -1
  return (
    `${row.projectId}\t${minute(row.startedMs)}\t${sessionHash(row)}\t${field(row.release)}\t${field(row.environment)}\t` +
    `${latestOf(row)}\t${finalOf(row)}\t${row.isInit ? 1 : 0}\t${whole(row.quantity)}\t${hash(row.userHash)}\t` +
    `${duration}\t${time(row.receivedMs)}\t${row.jpos}\t${row.place}\t${row.entries}\n`
  )
}
