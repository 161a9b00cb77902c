/** The upload target of a command, with its release and dist ('' for none). */
export type DoctorTarget = { url: string; org: string; project: string; release: string; dist: string }

/** `inject`: debug ids, then the upload. `prefix`: an upload with another address. */
export type Command = 'inject' | 'upload' | 'prefix'

/**
 * Quotes a word for a POSIX shell. Event texts are hostile. Control characters are removed, because they would end a
 * paste even in quotes. Words with other than plain characters get single quotes.
 */
export function shellWord(text: string): string {
  const clean = text.replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]/gu, '').slice(0, 500)
  return /^[\w@%+=:,./][\w@%+=:,./-]*$/.test(clean) ? clean : `'${clean.replaceAll("'", `'\\''`)}'`
}

/** Returns an option with its value. A value that starts with a dash would look like an option, so it needs "=". */
const option = (name: string, value: string): string =>
  value === '' ? '' : ` ${name}${value.startsWith('-') ? '=' : ' '}${shellWord(value)}`

const partsOf = (url: string): string[] =>
  url
    .replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*/i, '')
    .replace(/[?#].*$/s, '')
    .replace(/^~?\/?/, '')
    .split('/')

/** Counts the equal parts at the end of two addresses. Ignores queries and hosts. */
export function commonSuffix(text: string, other: string): number {
  const [a, b] = [partsOf(text), partsOf(other)]
  let count = 0
  while (count < a.length && count < b.length && a.at(-1 - count) === b.at(-1 - count)) count++
  return count
}

/** Returns the `--url-prefix` for which the uploaded file `found` matches `url`. `~` is any host. */
export function prefixFor(url: string, found: string): string {
  const parts = partsOf(url)
  return ['~', ...parts.slice(0, Math.max(0, parts.length - Math.max(1, commonSuffix(url, found))))].join('/')
}

/** Returns shell lines: sentry-cli with the address, organization and project of this installation. */
export function commandOf(command: Command, target: DoctorTarget, data: Readonly<Record<string, string>>): string {
  const cli = `npx @sentry/cli${option('--url', target.url)} sourcemaps`
  const where = `${option('--org', target.org)}${option('--project', target.project)}`
  const release = `${option('--release', target.release)}${option('--dist', target.release === '' ? '' : target.dist)}`
  const prefix = command === 'prefix' ? option('--url-prefix', prefixFor(data.url ?? '', data.found ?? '')) : ''
  const upload = `${cli} upload${where}${release}${prefix} ./dist`
  return command === 'inject' ? `${cli} inject ./dist\n${upload}` : upload
}
