import { createHosts, type Found, mayHoldHosts } from './hosts.ts'

/** Longer texts stay unchanged: nobody groups texts of that length by hand. */
const parameterizeMax = 8192

const months = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}'
const days = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6}'
const time = '\\d{1,2}:\\d{2}(?::\\d{2}(?:[.,]\\d{1,9})?)?'
const zone = '(?:\\s?(?:Z|UTC|GMT|[+-]\\d{2}:?\\d{2})(?![\\w:])){0,2}'

/**
 * Classes and patterns in order of precedence. Each repetition is bounded, or no position within it can start another
 * (docs/decisions/0017-message-classes.md). `email` precedes them and `hostname` follows `url`; hosts.ts finds both.
 */
const classes: readonly (readonly [string, string])[] = [
  ['url', '\\b(?:wss?|https?|ftp):\\/\\/[^\\s"\'<>,;(){}|\\\\^`\\[\\]]{1,4096}'],
  [
    'ip',
    '\\b(?:\\d{1,3}\\.){3}\\d{1,3}\\b|(?<![\\w:])(?=[0-9a-fA-F:]{0,39}\\d)(?:(?:[0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4}|(?:[0-9a-fA-F]{1,4}:){1,6}(?::[0-9a-fA-F]{1,4}){1,6}|::[0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{1,4}){0,6})(?![\\w:])',
  ],
  ['traceparent', '\\b00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]\\b|\\b1-[0-9a-f]{8}-[0-9a-f]{24}\\b'],
  ['uuid', '\\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\\b'],
  ['sha1', '\\b[0-9a-fA-F]{40}\\b'],
  ['md5', '\\b[0-9a-fA-F]{32}\\b'],
  [
    'date',
    [
      `\\b\\d{4}-\\d{2}-\\d{2}(?:[T ]${time}${zone})?(?![\\w-])`,
      `\\b(?:${days},?\\s)?\\d{1,2}[ -]${months}[ -]\\d{2,4}(?:\\s${time}${zone})?(?!\\w)`,
      `\\b(?:${days},?\\s)?${months}\\s\\d{1,2},?(?:\\s\\d{4})?(?:\\s${time}${zone})?(?:\\s\\d{4})?(?!\\w)(?:\\s\\([A-Za-z ]{1,40}\\))?`,
      '\\b\\d{1,2}\\/\\d{1,2}\\/\\d{2,4}\\b',
      `\\b${time}(?:\\s?[AaPp][Mm])?\\b`,
      '\\b\\d{8}T\\d{6}Z?\\b',
      'datetime\\.datetime\\([^()]{1,200}\\)',
    ].join('|'),
  ],
  ['duration', '\\b\\d{1,12}(?:\\.\\d{1,12})?(?:ms|us|µs|ns|s)\\b'],
  ['swift_txn_id', '\\btx[0-9a-f]{21}-[0-9a-f]{10}(?:-[\\w-]{1,64})?\\b'],
  ['mac', '\\b[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2}){5}\\b'],
  [
    'hex',
    '\\b0[xX][0-9a-fA-F]{1,128}\\b|\\b(?=[0-9a-f]{0,127}\\d)[0-9a-f]{8,128}\\b|\\b(?=[0-9A-F]{0,127}\\d)[0-9A-F]{8,128}\\b',
  ],
  ['git_sha', '\\b(?=[0-9a-f]{0,6}[a-f])(?=[0-9a-f]{0,6}\\d)[0-9a-f]{7}\\b'],
  ['float', '(?:(?<!\\w)-)?\\b\\d{1,20}\\.\\d{1,20}\\b'],
  ['int', '(?:(?<!\\w)-)?\\b\\d{1,7}\\b'],
  ['quoted_str', '(?<==\\s?)(?:\'[^\'\\n]{0,500}\'|"[^"\\n]{0,500}")'],
  ['bool', '(?<==\\s?)(?:[Tt]rue|[Ff]alse)\\b'],
]

const pattern = new RegExp(classes.map(([, source]) => `(${source})`).join('|'), 'g')
const names = classes.map(([name]) => name)

const nameIn = (groups: readonly unknown[], from: number): string =>
  names.find((_, i) => groups[from + i] !== undefined) ?? ''

function otherFrom(text: string, from: number): Found | undefined {
  pattern.lastIndex = from
  const found = pattern.exec(text)
  return found ? { name: nameIn(found, 1), start: found.index, end: pattern.lastIndex } : undefined
}

/** For two matches at one position, the class with precedence wins. */
function firstOf(host: Found | undefined, other: Found | undefined): Found | undefined {
  if (!host || !other) return host ?? other
  if (host.start !== other.start) return host.start < other.start ? host : other
  return host.name === 'email' || other.name !== 'url' ? host : other
}

function withHosts(text: string): string {
  const hostFrom = createHosts(text)
  let host = hostFrom(0)
  let other = otherFrom(text, 0)
  let out = ''
  let at = 0
  for (let found = firstOf(host, other); found; found = firstOf(host, other)) {
    out += `${text.slice(at, found.start)}<${found.name}>`
    at = found.end
    if (host && host.start < at) host = hostFrom(at)
    if (other && other.start < at) other = otherFrom(text, at)
  }
  return out + text.slice(at)
}

/** Replaces each variable part of a text by `<class>`. Linear in the text. */
export function parameterize(text: string): string {
  if (text.length > parameterizeMax || !/[\d@=]|:\/\/|\w\.\w/.test(text)) return text
  if (mayHoldHosts(text)) return withHosts(text)
  return text.replace(pattern, (_, ...groups: unknown[]) => `<${nameIn(groups, 0)}>`)
}

/** The first two non-blank lines, parameterized. "..." means that more lines follow. */
export function parameterizedMessage(text: string): string {
  if (text.length > parameterizeMax) return text.trim()
  const lines = text.split(/\r\n|\r|\n/).filter((line) => line.trim())
  const head = lines.slice(0, 2).join('\n').trim()
  return parameterize(lines.length > 2 ? `${head}...` : head)
}
