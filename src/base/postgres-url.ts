/** A server: a host name or address, or the folder of a Unix socket. */
export type PostgresHost = { host: string; port: number }

/** The parts of a PostgreSQL URL. */
export type PostgresAddress = {
  hosts: PostgresHost[]
  user: string
  password: string
  database: string
  /** Maximum connections of the pool. */
  pool: number
  sslMode: SslMode
  /** Path of the file with the certificates that are trusted; '' for those of the system. */
  sslRootCert: string
}

const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
type SslMode = (typeof sslModes)[number]

const defaultPort = 5432
const defaultPool = 10
/** One connection for a transaction, and one for reads inside of it. */
const poolMin = 2
const poolMax = 200
/** A primary is found by these two values alike: a server that accepts writes. Mishap cannot use another. */
const targets = ['read-write', 'primary']

const pattern =
  /^postgres(?:ql)?:\/\/(?:(?<user>[^:@/?]*)(?::(?<password>[^@/?]*))?@)?(?<hosts>[^/?@]*)\/(?<database>[^/?]+)(?:\?(?<query>.*))?$/

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Parses `host`, `host:port` or `[v6]:port`. Returns undefined if it is none of them. */
function hostOf(text: string): PostgresHost | undefined {
  const found = /^(?:\[(?<v6>[\da-fA-F:.]+)\]|(?<name>[^:[\]]+))(?::(?<port>\d{1,5}))?$/.exec(text)?.groups
  const host = found?.v6 ?? decoded(found?.name ?? '')
  const port = Number(found?.port ?? defaultPort)
  return host && port > 0 && port < 65_536 ? { host, port } : undefined
}

/** The hosts of the authority, or of `?host=` for the folder of a Unix socket. */
function hostsOf(authority: string, query: URLSearchParams): (PostgresHost | undefined)[] {
  const listed = authority || query.get('host') || ''
  if (listed.startsWith('/')) return [{ host: listed, port: Number(query.get('port') ?? defaultPort) }]
  return listed.split(',').map(hostOf)
}

/**
 * Parses `postgres://user:password@host1:5432,host2/database?sslmode=verify-full&sslrootcert=/ca.pem&pool=10`.
 * Returns undefined if it is malformed or has a parameter that Mishap does not know: a misspelt sslmode must not turn
 * off TLS. `target_session_attrs` can be read-write or primary.
 */
export function parsePostgresUrl(url: string): PostgresAddress | undefined {
  const parts = pattern.exec(url)?.groups
  if (!parts) return undefined
  const query = new URLSearchParams(parts.query ?? '')
  const known = ['host', 'port', 'sslmode', 'sslrootcert', 'pool', 'target_session_attrs']
  const hosts = hostsOf(parts.hosts ?? '', query)
  const [user, password, database] = [parts.user, parts.password, parts.database].map((part) => decoded(part ?? ''))
  const pool = Number(query.get('pool') ?? defaultPool)
  const sslMode = sslModes.find((mode) => mode === (query.get('sslmode') ?? 'prefer'))
  const isValid =
    [...query.keys()].every((name) => known.includes(name)) &&
    Number.isInteger(pool) &&
    pool >= poolMin &&
    pool <= poolMax &&
    targets.includes(query.get('target_session_attrs') ?? 'read-write')
  if (!isValid || !sslMode || !database || user === undefined || password === undefined) return undefined
  if (!hosts.every((host) => host !== undefined)) return undefined
  return { hosts, user, password, database, pool, sslMode, sslRootCert: query.get('sslrootcert') ?? '' }
}

/** Returns a URL without its password, for messages and logs. */
export const withoutPassword = (url: string): string => url.replace(/^(\w+:\/\/[^:@/?]*):.*@/, '$1:***@')
