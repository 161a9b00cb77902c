/** Where a command uploads to, and for which release and dist ('' for none). */
export type DoctorPlace = { url: string; org: string; project: string; release: string; dist: string }

/** `inject`: debug ids, then the upload; `prefix`: the upload under another address. */
export type Command = 'inject' | 'upload' | 'prefix'

/**
 * A word for a POSIX shell. What comes from events is hostile: controls are taken out, as even between quotes they would
 * end a paste, and everything but plain letters stands in single quotes.
 */
export function shellWord(text: string): string {
  const clean = text.replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]/gu, '').slice(0, 500)
  return /^[\w@%+=:,./][\w@%+=:,./-]*$/.test(clean) ? clean : `'${clean.replaceAll("'", `'\\''`)}'`
}

/** An option with its value. One that begins with a dash would be taken for an option itself. */
const option = (name: string, value: string): string =>
  value === '' ? '' : ` ${name}${value.startsWith('-') ? '=' : ' '}${shellWord(value)}`

const partsOf = (url: string): string[] =>
  url
    .replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*/i, '')
    .replace(/[?#].*$/s, '')
    .replace(/^~?\/?/, '')
    .split('/')

/** How many of the last parts of two addresses are the same; queries and hosts do not count. */
export function sameEnd(text: string, two: string): number {
  const [a, b] = [partsOf(text), partsOf(two)]
  let count = 0
  while (count < a.length && count < b.length && a.at(-1 - count) === b.at(-1 - count)) count++
  return count
}

/** What `--url-prefix` has to be so that the file uploaded as `found` is found as `url`; `~` is any host. */
export function prefixFor(url: string, found: string): string {
  const parts = partsOf(url)
  return ['~', ...parts.slice(0, Math.max(0, parts.length - Math.max(1, sameEnd(url, found))))].join('/')
}

/** Lines for a shell: sentry-cli with this installation's address, organization and project. */
export function commandOf(command: Command, place: DoctorPlace, data: Readonly<Record<string, string>>): string {
  const cli = `npx @sentry/cli${option('--url', place.url)} sourcemaps`
  const where = `${option('--org', place.org)}${option('--project', place.project)}`
  const release = `${option('--release', place.release)}${option('--dist', place.release === '' ? '' : place.dist)}`
  const prefix = command === 'prefix' ? option('--url-prefix', prefixFor(data.url ?? '', data.found ?? '')) : ''
  const upload = `${cli} upload${where}${release}${prefix} ./dist`
  return command === 'inject' ? `${cli} inject ./dist\n${upload}` : upload
}
