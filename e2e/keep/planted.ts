// Secrets of every form that is scrubbed, each with a unique number, for every field with personal data.

/** A text that contains a secret. No store may contain `secret`. */
type Planted = { text: string; secret: string }

const digits = (n: number, length: number): string => String(n).padStart(length, '0')

/** A card number: 15 digits and the Luhn check digit. */
function cardOf(n: number): string {
  const body = `453201${digits(n, 9)}`
  const sum = [...body].reduce((total, item, at) => {
    const doubled = Number(item) * (at % 2 === 0 ? 2 : 1)
    return total + (doubled > 9 ? doubled - 9 : doubled)
  }, 0)
  return `${body}${(10 - (sum % 10)) % 10}`
}

/** A German IBAN. Its check digits make the whole number 1 modulo 97 (ISO 7064). */
function ibanOf(n: number): string {
  const body = `50010517${digits(n, 10)}`
  const check = 98n - (BigInt(`${body}131400`) % 97n)
  return `DE${digits(Number(check), 2)}${body}`
}

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJ'
const coded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

const forms: Record<string, (n: number) => Planted> = {
  card: (n) => ({ text: `paid by ${cardOf(n)} today`, secret: cardOf(n) }),
  bearer: (n) => ({ text: `sent Bearer zQ9${digits(n, 12)}xYz`, secret: `zQ9${digits(n, 12)}xYz` }),
  url: (n) => ({ text: `at https://ann:pw${digits(n, 8)}q@db.test/x`, secret: `pw${digits(n, 8)}q` }),
  password: (n) => ({ text: `failed with password=Hunter${digits(n, 8)}z`, secret: `Hunter${digits(n, 8)}z` }),
  social: (n) => ({ text: `of 219-09-${digits(n, 4)} there`, secret: `219-09-${digits(n, 4)}` }),
  aws: (n) => ({ text: `key AKIAQWERTYUI${digits(n, 8)}`, secret: `AKIAQWERTYUI${digits(n, 8)}` }),
  github: (n) => ({
    text: `with ghp_${letters.slice(0, 28)}${digits(n, 8)}`,
    secret: `ghp_${letters.slice(0, 28)}${digits(n, 8)}`,
  }),
  stripe: (n) => ({
    text: `by sk_live_${letters.slice(0, 16)}${digits(n, 8)}`,
    secret: `${letters.slice(0, 16)}${digits(n, 8)}`,
  }),
  slack: (n) => ({ text: `to xoxb-${digits(n, 12)}-Ab3dEf`, secret: `${digits(n, 12)}-Ab3dEf` }),
  npm: (n) => ({
    text: `from npm_${letters.slice(0, 28)}${digits(n, 8)}`,
    secret: `npm_${letters.slice(0, 28)}${digits(n, 8)}`,
  }),
  jwt: (n) => {
    const token = `${coded({ alg: 'HS256', typ: 'JWT' })}.${coded({ sub: `u${digits(n, 9)}` })}.c2lnbmF0dXJl`
    return { text: `as ${token} says`, secret: token }
  },
  iban: (n) => ({ text: `onto ${ibanOf(n)} now`, secret: ibanOf(n) }),
  pem: (n) => ({
    text: `-----BEGIN PRIVATE KEY-----\nMIIEv${digits(n, 12)}Qw\n-----END PRIVATE KEY-----`,
    secret: `MIIEv${digits(n, 12)}Qw`,
  }),
}

/** Returns a new secret at each call, in rotating forms, and records it with its place. */
export function createPlanting() {
  const planted: (Planted & { location: string })[] = []
  const names = Object.keys(forms)
  return {
    planted,
    at: (location: string): string => {
      const n = planted.length
      const made = forms[names[n % names.length] ?? '']?.(1000 + n)
      if (!made) throw new Error('no form')
      planted.push({ ...made, location })
      return made.text
    },
  }
}
type Planting = ReturnType<typeof createPlanting>

const frame = ({ at }: Planting) => ({
  filename: '/app/cart.js',
  function: 'total',
  lineno: 3,
  colno: 5,
  in_app: true,
  context_line: 'total()',
  vars: { order: at('vars'), deep: { list: [at('vars.deep')] } },
})

/** An error event with a secret in every field with personal data. docs/specification.md lists the other fields. */
export const plantedEvent = (planting: Planting, id: string): Record<string, unknown> => {
  const { at } = planting
  return {
    event_id: id,
    platform: 'javascript',
    timestamp: Date.now() / 1000,
    level: 'error',
    transaction: at('transaction'),
    server_name: at('server_name'),
    culprit: at('culprit'),
    logentry: { message: at('logentry.message'), formatted: at('logentry.formatted'), params: [at('logentry.params')] },
    fingerprint: ['{{ default }}', at('fingerprint')],
    exception: {
      values: [
        {
          type: `Error ${at('exception.type')}`,
          value: at('exception.value'),
          mechanism: {
            type: 'generic',
            handled: false,
            description: at('mechanism.description'),
            data: { note: at('mechanism.data') },
          },
          stacktrace: { frames: [frame(planting)] },
        },
        { type: 'CauseError', value: at('exception.cause.value'), stacktrace: { frames: [frame(planting)] } },
      ],
    },
    threads: {
      values: [{ id: 1, name: at('threads.name'), crashed: true, stacktrace: { frames: [frame(planting)] } }],
    },
    breadcrumbs: {
      values: [
        {
          timestamp: Date.now() / 1000,
          category: 'console',
          message: at('breadcrumb.message'),
          data: { a: at('breadcrumb.data') },
        },
        {
          timestamp: Date.now() / 1000,
          category: 'fetch',
          type: 'http',
          data: { url: at('breadcrumb.data.url'), method: 'GET' },
        },
      ],
    },
    request: {
      url: `https://shop.test/cart?note=${encodeURIComponent(at('request.url'))}`,
      query_string: [['note', at('request.query_string')]],
      cookies: [['note', at('request.cookies')]],
      headers: [['X-Note', at('request.headers')]],
      env: { NOTE: at('request.env') },
      data: { note: at('request.data'), list: [{ deep: at('request.data.list') }] },
      fragment: at('request.fragment'),
    },
    user: { id: at('user.id'), username: at('user.username'), name: at('user.name'), data: { note: at('user.data') } },
    tags: { note: at('tags').replaceAll('\n', ' ') },
    extra: { note: at('extra'), deep: { deeper: [at('extra.deep')] } },
    contexts: {
      state: { type: 'state', note: at('contexts.state') },
      device: { name: at('contexts.device.name') },
      app: { app_name: at('contexts.app.app_name') },
      own: { note: at('contexts.own') },
    },
    unknown_field: at('unknown_field'),
  }
}

/** A message event with secrets in its texts. The functions below do the same for a transaction and a feedback. */
export const plantedMessage = ({ at }: Planting, id: string): Record<string, unknown> => ({
  event_id: id,
  platform: 'javascript',
  timestamp: Date.now() / 1000,
  level: 'warning',
  message: at('message'),
})
export const plantedTransaction = ({ at }: Planting, id: string): Record<string, unknown> => {
  const [traceId, spanId] = [id, id.slice(0, 16)]
  const now = Date.now() / 1000
  return {
    event_id: id,
    type: 'transaction',
    platform: 'javascript',
    transaction: at('transaction.name'),
    start_timestamp: now - 1,
    timestamp: now,
    contexts: { trace: { trace_id: traceId, span_id: spanId, op: 'pageload', data: { note: at('trace.data') } } },
    tags: { note: at('transaction.tags').replaceAll('\n', ' ') },
    spans: [
      {
        trace_id: traceId,
        span_id: id.slice(16),
        parent_span_id: spanId,
        op: 'http.client',
        description: at('span.description'),
        start_timestamp: now - 0.5,
        timestamp: now,
        data: { note: at('span.data') },
        tags: { note: at('span.tags').replaceAll('\n', ' ') },
      },
    ],
  }
}
export const plantedFeedback = ({ at }: Planting, id: string): Record<string, unknown> => ({
  event_id: id,
  platform: 'javascript',
  timestamp: Date.now() / 1000,
  contexts: { feedback: { name: at('feedback.name'), message: at('feedback.message'), url: at('feedback.url') } },
})
