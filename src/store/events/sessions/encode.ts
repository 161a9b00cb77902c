import { hash as digest } from 'node:crypto'
import { field, hash, time } from '../encode.ts'
import { type SessionRow, type SessionStatus, sessionStatuses } from '../session-store.ts'

/** Columns of a line of `encodeSessionRow`, in order. */
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

/** Final statuses: a later update does not change how the session ended. */
const finalStatuses: ReadonlySet<SessionStatus> = new Set(['exited', 'unhandled', 'abnormal', 'crashed'])

/** Greater than every `seq`. With four bits for the code, the value fits into 63 bits. */
const seqEnd = 2n ** 58n
const seqOf = (seq: number): bigint =>
  Number.isFinite(seq) && seq > 0 ? BigInt(Math.min(Math.floor(seq), Number.MAX_SAFE_INTEGER)) : 0n

/**
 * Encodes an update as a number. The maximum over a session's updates is the one with the highest `seq`. The lowest
 * four bits are its error flag and its status.
 */
export const latestOf = ({ seq, status, hasErrors }: Pick<SessionRow, 'seq' | 'status' | 'hasErrors'>): bigint =>
  seqOf(seq) * 16n + (hasErrors ? 8n : 0n) + codeOf(status)

/**
 * Like `latestOf` for the end of a session; 0 while open. The maximum is the first end by `seq` in any arrival order.
 */
export const finalOf = ({ seq, status }: Pick<SessionRow, 'seq' | 'status'>): bigint =>
  finalStatuses.has(status) ? (seqEnd - seqOf(seq)) * 16n + codeOf(status) : 0n

const whole = (value: number): number => (Number.isSafeInteger(value) && value > 0 ? value : 0)
/** Formats the minute of a time as 'YYYY-MM-DD hh:mm:00'. */
const minute = (ms: number): string => `${time(ms).slice(0, 16)}:00`

/** Hash of a session. It is unique across projects and minutes, so grouping by it alone is cheap and correct. */
const sessionHash = ({ projectId, startedMs, sid }: SessionRow): string =>
  hash(digest('md5', `${projectId} ${minute(startedMs)} ${sid}`, 'hex').slice(0, 16))

/** Encodes a row as a line of tab-separated values (UTF-8 once encoded) with newline; columns: `sessionColumns`. */
export function encodeSessionRow(row: SessionRow): string {
  const duration = Number.isFinite(row.durationS) && row.durationS >= 0 ? row.durationS : -1
  return (
    `${row.projectId}\t${minute(row.startedMs)}\t${sessionHash(row)}\t${field(row.release)}\t${field(row.environment)}\t` +
    `${latestOf(row)}\t${finalOf(row)}\t${row.isInit ? 1 : 0}\t${whole(row.quantity)}\t${hash(row.userHash)}\t` +
    `${duration}\t${time(row.receivedMs)}\t${row.jpos}\t${row.place}\t${row.entries}\n`
  )
}
