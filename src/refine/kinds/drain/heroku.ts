import type { Loose } from '../../pipeline/value.ts'
import { type DrainLine, logColumnNames, type SentLine } from '../log/line.ts'
import { severityOf, severityOfPriority, unknownSeverity } from '../log/severity.ts'
import { type ByteBudget, boundedAttributes, momentUs, type Repairs } from '../span/parts.ts'

/** The frames of a body: `<bytes> <frame>` one after the other (RFC 6587). `rest`: what follows a broken count. */
export function framesOf(body: Buffer, max: number): { frames: string[]; excess: number; isBroken: boolean } {
  const frames: string[] = []
  let excess = 0
  let at = 0
  while (at < body.length) {
    // Line breaks between frames are allowed.
    if (body[at] === 10 || body[at] === 13) {
      at++
      continue
    }
    let bytes = 0
    const from = at
    for (let byte = body[at] ?? 0; byte >= 48 && byte <= 57 && bytes < 1e8; byte = body[++at] ?? 0)
      bytes = bytes * 10 + byte - 48
    if (at === from || body[at] !== 32 || bytes === 0 || at + 1 + bytes > body.length)
      return { frames, excess, isBroken: true }
    const end = at + 1 + bytes
    if (frames.length < max) frames.push(body.toString('utf8', at + 1, end))
    else excess++
    at = end
  }
  return { frames, excess, isBroken: false }
}

const priorityForm = /^<(\d{1,3})>\d{1,2}$/
/** Words before the message: priority, time, host, application, process, message id. Logplex sends no structured data. */
const headWords = 6

type Frame = { priority: number; time: string; host: string; source: string; process: string; message: string }

/** The parts of a frame of RFC 5424 as Logplex writes it; undefined for another form. */
function frameOf(text: string): Frame | undefined {
  const words: string[] = []
  let at = 0
  while (words.length < headWords) {
    const end = text.indexOf(' ', at)
    // The message can be empty: then the last word ends the frame.
    if (end < 0 && words.length < headWords - 1) return undefined
    words.push(end < 0 ? text.slice(at).trimEnd() : text.slice(at, end))
    at = end < 0 ? text.length : end + 1
  }
  const [head = '', time = '', host = '', source = '', process = ''] = words
  const priority = priorityForm.exec(head)?.[1]
  if (priority === undefined) return undefined
  return { priority: Number(priority), time, host, source, process, message: text.slice(at).replace(/\r?\n$/, '') }
}

/** Fields of the router's lines with a name in the semantic conventions. All others become `heroku.<field>`. */
const named: ReadonlyMap<string, string> = new Map([
  ['method', 'http.request.method'],
  ['path', 'url.path'],
  ['host', 'server.address'],
  ['status', 'http.response.status_code'],
  ['bytes', 'http.response.body.size'],
  ['protocol', 'network.protocol.name'],
])
const fieldsMax = 40

/** Adds the fields of `key=value key="value"` as the router writes them. Each character is read once. */
function addFields(to: Loose, text: string): void {
  let at = 0
  for (let count = 0; count < fieldsMax; count++) {
    while (text[at] === ' ') at++
    const equals = text.indexOf('=', at)
    if (equals < 0) return
    const key = text.slice(at, equals)
    if (!/^[a-z_]{1,40}$/.test(key)) return
    const isQuoted = text[equals + 1] === '"'
    const from = isQuoted ? equals + 2 : equals + 1
    const found = text.indexOf(isQuoted ? '"' : ' ', from)
    const end = found < 0 ? text.length : found
    const value = text.slice(from, end)
    at = isQuoted ? end + 1 : end
    if (key === 'fwd') to['client.address'] = value.split(',', 1)[0] ?? ''
    const ms = /^(\d{1,9})ms$/.exec(value)?.[1]
    const number = ms ?? (/^\d{1,15}$/.test(value) ? value : undefined)
    to[named.get(key) ?? `heroku.${key}`] = number === undefined ? value : Number(number)
  }
}

/** One frame of Heroku's drain as a line. A frame of another form is a line without a head. */
export function herokuLine(text: string, budget: ByteBudget): DrainLine {
  const frame = frameOf(text)
  const repairs: Repairs = { count: frame ? 0 : 1 }
  const all: Loose = {}
  if (frame?.source) all['heroku.source'] = frame.source
  if (frame?.process) all['heroku.process'] = frame.process
  const isRouter = frame?.source === 'heroku' && frame.process === 'router'
  if (frame && isRouter) addFields(all, frame.message)
  // The router writes its level into the text: `at=error code=H12`.
  const level = isRouter ? severityOf(undefined, all['heroku.at'], 'text') : undefined
  const line: SentLine = {
    timeUs: frame && momentUs(frame.time, 0),
    traceId: '',
    spanId: '',
    severity: level ?? (frame ? severityOfPriority(frame.priority) : unknownSeverity),
    body: frame ? frame.message : text,
    template: '',
    weight: 1,
    release: undefined,
    environment: undefined,
    platform: 'other',
    origin: 'heroku',
    host: frame && frame.host !== 'host' && frame.host !== '-' ? frame.host.slice(0, 200) : '',
    logger: frame?.process.slice(0, 64) ?? '',
    attributes: boundedAttributes(all, budget, repairs, logColumnNames),
    repaired: repairs.count,
  }
  return { line, sent: all }
}
