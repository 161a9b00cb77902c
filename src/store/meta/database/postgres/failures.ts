import { MishapError } from '../../../../base/errors.ts'

/** SQLSTATEs of a conflict with another transaction: the whole transaction can run again. */
const conflictStates = new Set(['40001', '40P01'])
/** The server ends, starts, has no free connection, or has become a read-only standby. */
const awayStates = new Set(['57P01', '57P02', '57P03', '57P05', '53300', '25006'])
/** No space, an I/O error. */
const unwritableStates = new Set(['53100', '58030'])
const awayCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
])
/** Messages of the driver for a lost connection, which has no code. */
const awayMessage =
  /^Connection terminated|^Client (?:has encountered a connection error|was closed)|^timeout expired|^Connection ended/

const codeOf = (error: unknown): string => String((error as { code?: unknown } | undefined)?.code ?? '')

/** Whether PostgreSQL asks to run the transaction again. */
export const isConflict = (error: unknown): boolean => conflictStates.has(codeOf(error))

/** Whether the connection was lost, or its server does not accept work (any more). */
export function isAway(error: unknown): boolean {
  const code = codeOf(error)
  return (
    awayStates.has(code) ||
    awayCodes.has(code) ||
    code.startsWith('08') ||
    awayMessage.test(error instanceof Error ? error.message : '')
  )
}

/** Whether the server itself sent the error. A lost connection has no such answer. */
export const isAnswer = (error: unknown): boolean =>
  /^[0-9A-Z]{5}$/.test(codeOf(error)) && !codeOf(error).startsWith('E')

/** Whether the server could not write: no space, an I/O error. */
export const isUnwritable = (error: unknown): boolean => unwritableStates.has(codeOf(error))

/** Converts a driver error to a code of the catalogue. Returns other errors unchanged. */
export function postgresFailure(error: unknown): unknown {
  if (error instanceof MishapError) return error
  const cause = error instanceof Error ? error.message : String(error)
  if (isUnwritable(error)) return new MishapError('DATABASE_UNWRITABLE', { causes: [cause] })
  if (isAway(error)) return new MishapError('DATABASE_UNAVAILABLE', { causes: [cause] })
  if (isConflict(error)) return new MishapError('DATABASE_UNAVAILABLE', { causes: ['Too many changes at once.'] })
  return error
}
