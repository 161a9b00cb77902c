/** Address of a ClickHouse server without its password: safe to log, to show and to pass as an argument. */
export type EventsServer = {
  /** Scheme, host and port, such as `https://clickhouse.example:8443`. */
  url: string
  /** Host and port, as people read them. */
  host: string
  user: string
  database: string
}

/** Names that need no quotes in SQL. */
const databaseForm = /^[a-z_]\w{0,60}$/i
const userForm = /^[\w.@-]{1,100}$/

/** Decodes percent escapes; undefined for an invalid text. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

type ParsedServer = EventsServer & { password: string }

function parse(text: string): ParsedServer | undefined {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) return undefined
  const url = new URL(text)
  const [user, password] = [decoded(url.username), decoded(url.password)]
  const database = url.pathname.replace(/^\/|\/$/g, '') || 'mishap'
  if (url.hostname === '' || url.search !== '' || url.hash !== '' || !databaseForm.test(database)) return undefined
  if (user === undefined || password === undefined || (user !== '' && !userForm.test(user))) return undefined
  return { url: url.origin, host: url.host, user: user || 'default', password, database }
}

/** Returns whether a text is `http(s)://user:password@host:port/database`. User, password and database may be missing. */
export const isEventsServer = (text: string): boolean => parse(text) !== undefined

/** Parses the setting `events`; undefined for the embedded store. The password is left out. */
export function eventsServerOf(text: string): EventsServer | undefined {
  const parsed = parse(text)
  if (!parsed) return undefined
  const { password: _secret, ...server } = parsed
  return server
}

/** Returns the password in the setting `events`; empty if it has none. */
export const eventsPasswordOf = (text: string): string => parse(text)?.password ?? ''
