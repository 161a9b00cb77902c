/** Texts above this are left as they are: nobody groups by hand what is that long. */
export const parameterizeMax = 8192

const topDomains =
  'com|net|org|edu|gov|mil|int|info|biz|io|dev|app|ai|co|me|tv|xyz|online|site|shop|store|tech|cloud|pro|name|mobi|asia|club|blog|live|news|work|life|world|today|top|vip|win|ru|cn|de|uk|fr|it|es|nl|be|ch|at|pl|cz|se|no|dk|fi|pt|gr|ie|ro|hu|bg|sk|si|hr|lt|lv|ee|ua|by|kz|tr|il|ir|in|pk|bd|lk|th|vn|id|my|sg|ph|jp|kr|tw|hk|au|nz|ca|us|mx|br|ar|cl|pe|ve|za|ng|ke|eg|ma|sa|ae|local|internal'
const months = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}'
const days = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6}'
const time = '\\d{1,2}:\\d{2}(?::\\d{2}(?:[.,]\\d{1,9})?)?'
const zone = '(?:\\s?(?:Z|UTC|GMT|[+-]\\d{2}:?\\d{2})(?![\\w:])){0,2}'

/** Class and pattern, in the order in which they win at one place. Every repetition is bounded or over one class of signs. */
const classes: readonly (readonly [string, string])[] = [
  ['email', "\\b[\\w.+%'-]{1,64}@[A-Za-z0-9-]{1,63}(?:\\.[A-Za-z0-9-]{1,63}){1,6}\\b"],
  ['url', '\\b(?:wss?|https?|ftp):\\/\\/[^\\s"\'<>,;(){}|\\\\^`\\[\\]]{1,4096}'],
  ['hostname', `\\b(?:[A-Za-z0-9-]{1,63}\\.){1,6}(?:${topDomains})\\b(?![.(]\\w|\\()`],
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

const pattern = new RegExp(classes.map(([name, source]) => `(?<${name}>${source})`).join('|'), 'g')
const names = classes.map(([name]) => name)

/** The text with everything that varies between two of the same kind as `<class>` (protocol.md 4.4). Linear in the text. */
export function parameterize(text: string): string {
  if (text.length > parameterizeMax || !/[\d@=]|:\/\/|\w\.\w/.test(text)) return text
  return text.replace(pattern, (found, ...rest: unknown[]) => {
    for (const [i, name] of names.entries()) if (rest[i] !== undefined) return `<${name}>`
    return found
  })
}

/** The first two lines that are not blank, parameterized; "..." says that more follow. */
export function parameterizedMessage(text: string): string {
  if (text.length > parameterizeMax) return text.trim()
  const lines = text.split(/\r\n|\r|\n/).filter((line) => line.trim())
  const head = lines.slice(0, 2).join('\n').trim()
  return parameterize(lines.length > 2 ? `${head}...` : head)
}
