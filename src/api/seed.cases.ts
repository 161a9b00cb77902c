/** Events for API tests, and the expected result of each query. */
const nowS = Math.floor(Date.now() / 1000)
const error = (type: string, value: string, more: Record<string, unknown> = {}) => ({
  platform: 'javascript',
  timestamp: nowS - 60,
  environment: 'production',
  release: 'shop@1.0.0',
  exception: {
    values: [
      {
        type,
        value,
        stacktrace: {
          frames: [
            {
              filename: 'app.js',
              function: `f${type}`,
              lineno: 10,
              colno: 5,
              in_app: true,
              pre_context: ['a'],
              context_line: 'throw it',
              post_context: ['z'],
            },
          ],
        },
      },
    ],
  },
  ...more,
})
/** Returns event id number `n`. */
export const hex = (n: number) => n.toString(16).padStart(32, '0')

export const seedEvents: Record<string, unknown>[] = [
  error('TypeError', 'x is undefined', {
    event_id: hex(1),
    user: { id: '42', email: 'a@b.test' },
    tags: { fruit: 'apple' },
    contexts: { trace: { trace_id: hex(77), span_id: '0123456789abcdef' } },
    breadcrumbs: { values: [{ timestamp: nowS - 61, category: 'ui.click', message: 'button' }] },
    request: { url: 'https://shop.test/cart?a=1', method: 'POST' },
    extra: { cart: 3 },
  }),
  error('TypeError', 'x is undefined', {
    event_id: hex(2),
    timestamp: nowS - 50,
    user: { id: '43' },
    tags: { fruit: 'pear' },
    environment: 'staging',
  }),
  error('TypeError', 'x is undefined', {
    event_id: hex(3),
    timestamp: nowS - 40,
    user: { id: '43' },
    tags: { fruit: 'pear' },
  }),
  error('RangeError', 'too far', {
    event_id: hex(4),
    timestamp: nowS - 30,
    level: 'fatal',
    tags: { fruit: 'plum', digest: '3141592653' },
  }),
  {
    event_id: hex(5),
    platform: 'python',
    timestamp: nowS - 20,
    level: 'warning',
    message: 'disk nearly full',
    logger: 'disk',
  },
]

export const seedAttachments = [
  { name: '../evil "x".html', type: 'text/html', bytes: '<script>1</script>' },
  { name: 'log.txt', type: 'text/plain', bytes: 'hello' },
]

/** A query string of the issue list, and the titles of its answer in order. */
export const streamCases: [query: string, titles: string[]][] = [
  ['', ['disk nearly full', 'RangeError', 'TypeError']],
  ['query=', ['disk nearly full', 'RangeError', 'TypeError']],
  ['sort=freq', ['TypeError', 'disk nearly full', 'RangeError']],
  ['sort=user', ['TypeError', 'RangeError', 'disk nearly full']],
  ['query=TypeError', ['TypeError']],
  ['query=undefined', ['TypeError']],
  ['query="too far"', ['RangeError']],
  ['query=level:[fatal,warning]', ['disk nearly full', 'RangeError']],
  ['query=!level:error', ['disk nearly full', 'RangeError']],
  ['query=fruit:apple', ['TypeError']],
  ['query=fruit:p*', ['RangeError', 'TypeError']],
  ['query=has:fruit', ['RangeError', 'TypeError']],
  ['query=!has:fruit', ['disk nearly full']],
  ['query=user.id:42', ['TypeError']],
  ['query=release:shop@1.0.0 level:fatal', ['RangeError']],
  ['query=fruit:apple OR level:warning', ['disk nearly full', 'TypeError']],
  ['query=(fruit:apple OR fruit:plum) level:fatal', ['RangeError']],
  ['query=project:web is:unresolved', ['disk nearly full', 'RangeError', 'TypeError']],
  ['query=project:nope', []],
  ['query=transaction.duration:>5s', []],
  ['query=timesSeen:>2', ['TypeError']],
  ['query=firstSeen:-1h', ['disk nearly full', 'RangeError', 'TypeError']],
  ['query=firstSeen:+1h', []],
  ['query=error.type:Range*', ['RangeError']],
  ['query=logger:disk', ['disk nearly full']],
  ['query=event.type:error', ['RangeError', 'TypeError']],
  ['query=assigned:me', []],
  ['query=is:unassigned is:new', ['disk nearly full', 'RangeError', 'TypeError']],
  ['query=is:resolved', []],
  ['query=digest:3141592653', ['RangeError']],
  [`query=trace:${hex(77)}`, ['TypeError']],
  ['query=message:disk', ['disk nearly full']],
  ['environment=staging', ['TypeError']],
  ['environment=none-such', []],
  ['project=web', ['disk nearly full', 'RangeError', 'TypeError']],
  ['project=-1&statsPeriod=1h', ['disk nearly full', 'RangeError', 'TypeError']],
  ['start=2001-01-01&end=2001-02-01', []],
  ['sort=new&limit=2', ['disk nearly full', 'RangeError']],
]
