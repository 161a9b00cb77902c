import { serverKind } from './kind.ts'

/**
 * What Mishap does on its database. A deletion of rows, DROP PARTITION and APPLY DELETED MASK are `ALTER DELETE`; new
 * versions add columns, indexes and settings.
 */
const onDatabase = [
  'SELECT',
  'INSERT',
  'CREATE TABLE',
  'CREATE VIEW',
  'DROP TABLE',
  'DROP VIEW',
  'TRUNCATE',
  'ALTER DELETE',
  'ALTER ADD COLUMN',
  'ALTER ADD INDEX',
  'ALTER DROP INDEX',
  'ALTER MATERIALIZE INDEX',
  'ALTER SETTINGS',
] as const

/** System tables that Mishap reads. A user sees only its own queries and the tables that it has a grant for. */
const systemTables = ['columns', 'data_skipping_indices', 'databases', 'disks', 'parts', 'processes', 'tables'] as const

const tableEngines = [serverKind.engines.rows, serverKind.engines.sums]

/** Grants of `MISHAP_EVENTS_BACKUP`: the server writes its part of a backup itself. */
const forBackup = (database: string): string[] => [`BACKUP ON ${database}.*`, 'SELECT ON system.backups']

/** Returns the grants that a user needs, without their recipient: `SELECT ON mishap.*`. */
export const neededGrants = (database: string, backup = false): string[] => [
  ...onDatabase.map((grant) => `${grant} ON ${database}.*`),
  ...systemTables.map((table) => `SELECT ON system.${table}`),
  ...tableEngines.map((engine) => `TABLE ENGINE ON ${engine}`),
  ...(backup ? forBackup(database) : []),
]

/** Returns the GRANT statements for a user. They need no quotes: `eventsServerOf` restricts the names. */
export const grantsOf = ({ user, database }: { user: string; database: string }, backup = false): string[] =>
  neededGrants(database, backup).map((grant) => `GRANT ${grant} TO ${quotedUser(user)}`)

const quotedUser = (user: string): string => (/^[a-z_]\w*$/i.test(user) ? user : `\`${user}\``)

/** Returns all statements that prepare a server, for `mishap events grants`. The password is a placeholder. */
export const setUpStatements = (target: { user: string; database: string }, backup = false): string[] => [
  `CREATE DATABASE IF NOT EXISTS ${target.database}`,
  `CREATE USER IF NOT EXISTS ${quotedUser(target.user)} IDENTIFIED BY 'PASSWORD'`,
  ...grantsOf(target, backup),
]
