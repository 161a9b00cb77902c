import { MishapError } from '../../base/errors.ts'
import { neededGrants } from './grants.ts'
import { askServer, type ServerAccess, type ServerAnswer } from './server-ask.ts'

/** The oldest version whose statements were tested (docs/external.md). */
export const oldestVersion = '26.5'
/** Free bytes on the disk of the tables below which inserts are refused, and some more for merges. */
const freeBytesMin = 64 * 1024 * 1024

/** Why a server cannot be asked at the moment. It may answer later, so a start does not fail. */
export type ServerAway = 'silent' | 'refused'

/** ClickHouse's codes for an unknown user, a wrong password, or one that is required. */
const credentialCodes = new Set([192, 193, 194, 516])
/** Errors of Node when a certificate does not verify, or the other side speaks no TLS. */
const tlsForm = /^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET)|EPROTO)/

const codeOf = (error: unknown) => String((error as NodeJS.ErrnoException).code ?? error)

/** Quotes a text as a literal of SQL. */
const literal = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`

/** Returns whether a version such as `26.7.2.1` is at least `oldest`. */
export function isRecent(version: string, oldest: string = oldestVersion): boolean {
  const [found, wanted] = [version, oldest].map((text) => text.split('.').map(Number))
  for (const [at, number] of (wanted ?? []).entries()) {
    const other = found?.[at] ?? Number.NaN
    if (other !== number) return other > number
  }
  return true
}

/** Returns why an answer to a simple query is no answer; undefined if it is an answer. Throws START_EVENTS_*. */
function awayBy({ host, user }: ServerAccess, answer: ServerAnswer): ServerAway | undefined {
  if (answer.isClickHouse && answer.code === 0) return undefined
  if (credentialCodes.has(answer.code))
    throw new MishapError('START_EVENTS_CREDENTIALS', {
      detail: `The ClickHouse server at ${host} refuses the user "${user}" or its password.`,
    })
  if (answer.isClickHouse) return 'refused'
  // A proxy whose server is away.
  if (answer.status >= 500) return 'silent'
  throw new MishapError('START_EVENTS_STRANGER', {
    detail: `What answers at ${host} is not the HTTP interface of a ClickHouse server (status ${answer.status}).`,
  })
}

/** Asks one question whose answer is text. Throws the server's own words for an unexpected error. */
async function textOf(access: ServerAccess, sql: string): Promise<string> {
  const answer = await askServer(access, sql)
  demandKnown(access, sql, answer)
  return answer.text
}

function demandKnown({ host }: ServerAccess, sql: string, answer: ServerAnswer): void {
  if (answer.code === 0) return
  if (answer.code === 497)
    throw new MishapError('START_EVENTS_GRANTS', {
      detail: `The ClickHouse server at ${host} does not let Mishap ask: ${sql}`,
    })
  throw new Error(answer.text.slice(0, 300))
}

/** Throws START_EVENTS_GRANTS with every missing grant. */
async function demandGrants(access: ServerAccess, withBackup: boolean): Promise<void> {
  const missing: string[] = []
  for (const grant of neededGrants(access.database, withBackup))
    if ((await textOf(access, `CHECK GRANT ${grant}`)) !== '1') missing.push(grant)
  if (missing.length > 0)
    throw new MishapError('START_EVENTS_GRANTS', {
      detail: `The user "${access.user}" of the ClickHouse server at ${access.host} lacks: ${missing.join('; ')}.`,
    })
}

/** Throws START_EVENTS_DATABASE if the database is missing and the user may not create it. */
async function demandDatabase(access: ServerAccess): Promise<void> {
  const { database, user, host } = access
  const found = await textOf(access, `SELECT count() FROM system.databases WHERE name = ${literal(database)}`)
  if (found !== '0' || (await textOf(access, `CHECK GRANT CREATE DATABASE ON ${database}.*`)) === '1') return
  throw new MishapError('START_EVENTS_DATABASE', {
    detail: `The ClickHouse server at ${host} has no database "${database}", and the user "${user}" may not create it. An administrator creates it with: CREATE DATABASE ${database}`,
  })
}

/** Throws START_EVENTS_DISK if the disk of the tables is full. Before the first start it is the default disk. */
async function demandDisk(access: ServerAccess): Promise<void> {
  const free = await textOf(
    access,
    `SELECT min(free_space) FROM system.disks WHERE name IN (SELECT disk_name FROM system.parts WHERE database = ${literal(access.database)}
     UNION ALL SELECT 'default')`,
  )
  if (Number(free) >= freeBytesMin) return
  throw new MishapError('START_EVENTS_DISK', {
    detail: `The disk of the ClickHouse server at ${access.host} is full: ${Math.floor(Number(free) / 2 ** 20)} MiB are free.`,
  })
}

/**
 * Checks a server at the start: who answers, credentials, version, database, grants, disk. Returns 'silent' if nothing
 * answers: that can pass, and ingest does not need the server. Throws START_EVENTS_*: a person has to act.
 */
export async function checkServer(access: ServerAccess, withBackup = false): Promise<'ready' | ServerAway> {
  let first: ServerAnswer
  try {
    first = await askServer(access, 'SELECT version()')
  } catch (error) {
    const code = codeOf(error)
    if (tlsForm.test(code))
      throw new MishapError('START_EVENTS_TLS', {
        detail: `The certificate of the ClickHouse server at ${access.host} cannot be verified: ${code}.`,
      })
    if (code.startsWith('HPE_'))
      throw new MishapError('START_EVENTS_STRANGER', { detail: `What answers at ${access.host} speaks no HTTP.` })
    return 'silent'
  }
  const away = awayBy(access, first)
  if (away) return away
  if (!isRecent(first.text))
    throw new MishapError('START_EVENTS_VERSION', {
      detail: `The ClickHouse server at ${access.host} has version ${first.text}. Mishap needs ${oldestVersion} or newer.`,
    })
  await demandDatabase(access)
  await demandGrants(access, withBackup)
  await demandDisk(access)
  return 'ready'
}

/** Returns whether the server answers Mishap's user: undefined if it does, else why not. Never throws. */
export async function serverAway(access: ServerAccess): Promise<ServerAway | undefined> {
  try {
    const { code } = await askServer(access, 'SELECT 1')
    return code === 0 ? undefined : 'refused'
  } catch {
    return 'silent'
  }
}
