import type { NormalEvent } from '../../../domain/event.ts'
import { versionFault } from '../../../domain/release-order.ts'
import type { Json } from '../../../wire/json.ts'
import type { Context } from '../../pipeline/context.ts'
import type { Draft } from '../../pipeline/draft.ts'
import {
  addError,
  addMeta,
  bounded,
  boundedObject,
  type Loose,
  listOf,
  type MetaNotes,
  object,
  own,
  scalar,
  text,
} from '../../pipeline/value.ts'
import { readSecurity } from '../security/security.ts'
import { readBreadcrumbs } from './breadcrumb.ts'
import { readExceptions, readThreads } from './exception.ts'
import { readStacktrace } from './frame.ts'
import { levelOf } from './level.ts'
import { readLogentry } from './message.ts'
import { readRequest } from './request.ts'
import { readTags } from './tags.ts'
import { drift, seconds } from './time.ts'
import { readUser } from './user.ts'

const futureMaxS = 60
const pastMaxS = 30 * 24 * 3600

/**
 * Brings every loose shape that SDKs send to one shape, and every value within its limit (docs/limits.md). A cut value
 * gets a metadata note.
 */
export function normalize(draft: Draft, context: Context): void {
  const { received, event, metaNotes } = draft
  const meta = object(own(received, '_meta'))
  if (meta)
    Object.assign(
      metaNotes.meta,
      boundedObject({ path: [], meta: {}, errors: [] }, '', meta, { depth: 20, bytes: 16_384 }),
    )
  event.platform = platformOf(metaNotes, own(received, 'platform'))
  const shiftS = drift(context.head.receivedMs, context.sentMs)
  readTime(draft, context, shiftS)
  readNames(draft, context)
  event.tags = readTags(metaNotes, own(received, 'tags'))
  moveTags(draft)
  readParts(draft, shiftS)
  readExtras(draft)
  readSdk(draft)
  readSecurity(draft)
  event.type = typeOf(event)
  const level = levelOf(own(received, 'level'))
  if (level) event.level = level
  else if (own(received, 'level') !== undefined && own(received, 'level') !== null)
    addError(metaNotes, 'invalid_data', 'level', own(received, 'level'))
}

function platformOf(to: MetaNotes, value: unknown): string {
  const name = scalar(value)?.trim().toLowerCase()
  if (!name) return 'other'
  if (/^[a-z0-9_.+#-]{1,64}$/.test(name)) return name
  addError(to, 'invalid_data', 'platform', name)
  return 'other'
}

function readTime(draft: Draft, context: Context, shiftS: number): void {
  const receivedS = context.head.receivedMs / 1000
  const sent = own(draft.received, 'timestamp')
  const time = seconds(sent)
  if (shiftS)
    draft.metaNotes.errors.push({
      type: 'clock_drift',
      name: 'timestamp',
      reason: `all times moved by ${Math.round(shiftS)} s`,
    })
  draft.event.received = receivedS
  draft.event.timestamp = receivedS
  if (time === undefined) {
    if (sent !== undefined && sent !== null)
      addError(draft.metaNotes, 'invalid_data', 'timestamp', sent, 'expected a time')
    return
  }
  const correctedS = Math.round((time + shiftS) * 1e6) / 1e6
  if (correctedS > receivedS + futureMaxS) addError(draft.metaNotes, 'future_timestamp', 'timestamp', sent)
  else if (correctedS < receivedS - pastMaxS) addError(draft.metaNotes, 'past_timestamp', 'timestamp', sent)
  else draft.event.timestamp = correctedS
}

/** A valid release name, or undefined. */
export function releaseOf(value: unknown): string | undefined {
  const name = scalar(value)?.trim()
  return name === undefined || versionFault(name) ? undefined : name
}

/** A valid environment name, or undefined. `.` and `..` are invalid, because clients remove them from URLs. */
export function environmentOf(value: unknown): string | undefined {
  const name = scalar(value)?.trim()
  return !name || name.length > 64 || /[/\n\r\0]/.test(name) || /^(?:\.|\.\.|none)$/i.test(name) ? undefined : name
}

function readNames({ received, event, metaNotes }: Draft, context: Context): void {
  const valid = {
    release: releaseOf,
    environment: environmentOf,
    dist: (value: unknown) => scalar(value)?.trim().slice(0, 64) || undefined,
  }
  for (const key of ['release', 'environment', 'dist'] as const) {
    const sent = own(received, key) ?? (key === 'dist' ? undefined : context.head[key])
    const found = valid[key](sent)
    if (found) event[key] = found
    else if (sent !== undefined && sent !== null && sent !== '') addError(metaNotes, 'invalid_data', key, sent)
  }
  const limits = { logger: 64, transaction: 200, server_name: 256, checksum: 128 } as const
  for (const key of ['logger', 'transaction', 'server_name', 'checksum'] as const) {
    const found = text(metaNotes, key, own(received, key), limits[key])?.trim()
    if (found) event[key] = found
  }
  const prints = own(received, 'fingerprint')
  const list = Array.isArray(prints) ? prints : prints === undefined || prints === null ? [] : [prints]
  const texts = list.slice(0, 32).flatMap((entry, i) => text(metaNotes, `fingerprint.${i}`, entry, 1024) ?? [])
  if (texts.length) event.fingerprint = texts
}

/** Moves the tag `environment` to its field, and the fields server_name and site to tags. */
function moveTags({ received, event, metaNotes }: Draft): void {
  const environment = event.tags.find(([key]) => key === 'environment')
  if (environment) {
    event.tags = event.tags.filter((tag) => tag !== environment)
    const found = environmentOf(environment[1])
    if (!found) addError(metaNotes, 'invalid_data', 'tags.environment', environment[1])
    else if (!event.environment) event.environment = found
  }
  const names = new Set(event.tags.map(([key]) => key))
  for (const key of ['server_name', 'site'] as const) {
    const found = text(metaNotes, key, own(received, key), 200)
    if (found && !names.has(key)) event.tags.push([key, found.replace(/[\r\n]+/g, ' ')])
  }
}

/** Old aliases of fields. They are constants: a text that is put together for each look-up must be hashed each time. */
const aliases = {
  exception: 'sentry.interfaces.Exception',
  threads: 'sentry.interfaces.Threads',
  stacktrace: 'sentry.interfaces.Stacktrace',
  logentry: 'sentry.interfaces.Message',
  breadcrumbs: 'sentry.interfaces.Breadcrumbs',
  request: 'sentry.interfaces.Http',
  user: 'sentry.interfaces.User',
  template: 'sentry.interfaces.Template',
} as const

/** The field by its name or its old alias. */
const part = (received: Loose, name: keyof typeof aliases): unknown =>
  own(received, name) ?? own(received, aliases[name])

function readParts({ received, event, metaNotes }: Draft, shiftS: number): void {
  const exceptions = readExceptions(metaNotes, part(received, 'exception'), event.platform)
  if (exceptions.length) event.exception = { values: exceptions }
  const threads = readThreads(metaNotes, part(received, 'threads'), event.platform)
  if (threads.length) event.threads = { values: threads }
  const stacktrace = readStacktrace(metaNotes, 'stacktrace', part(received, 'stacktrace'), event.platform)
  if (stacktrace) event.stacktrace = stacktrace
  const logentry = readLogentry(metaNotes, 'logentry', part(received, 'logentry') ?? own(received, 'message'))
  if (logentry) event.logentry = logentry
  const breadcrumbs = readBreadcrumbs(metaNotes, part(received, 'breadcrumbs'), shiftS)
  if (breadcrumbs.length) event.breadcrumbs = { values: breadcrumbs }
  const request = readRequest(metaNotes, part(received, 'request'))
  if (request) event.request = request
  const user = readUser(metaNotes, part(received, 'user'))
  if (user) event.user = user
  const template = boundedObject(metaNotes, 'template', part(received, 'template'), {
    depth: 4,
    bytes: 8192,
  })
  if (template) event.template = template
}

function readExtras({ received, event, metaNotes }: Draft): void {
  const extra = object(own(received, 'extra'))
  if (extra && Object.keys(extra).length) {
    const limited = boundedObject(metaNotes, 'extra', extra, { depth: 7, bytes: 262_144, text: 16_384 })
    if (limited) event.extra = limited
  }
  const modules = object(own(received, 'modules'))
  if (modules) {
    const pairs: [string, string][] = []
    let bytes = 0
    for (const name of Object.keys(modules)) {
      const version = scalar(modules[name]) ?? ''
      bytes += name.length + version.length
      if (bytes > 8192) {
        addMeta(metaNotes, 'modules', { len: Object.keys(modules).length, rem: [['!limit', 'x']] })
        break
      }
      pairs.push([name, version])
    }
    if (pairs.length) event.modules = Object.fromEntries(pairs)
  }
  event.contexts = readContexts(metaNotes, own(received, 'contexts'))
  readImages({ received, event, metaNotes })
  const errors = own(received, 'errors')
  if (Array.isArray(errors)) {
    for (const error of errors.slice(0, 20)) {
      const loose = object(error)
      const type = loose && text(metaNotes, 'errors', own(loose, 'type'), 128)
      if (loose && type) addError(metaNotes, type, scalar(own(loose, 'name'))?.slice(0, 200) ?? '', own(loose, 'value'))
    }
  }
}

function readContexts(to: MetaNotes, value: unknown): NormalEvent['contexts'] {
  const out: [string, { [key: string]: Json }][] = []
  const sent: Loose = object(value) ?? {}
  to.path.push('contexts')
  for (const name in sent) {
    if (out.length >= 100) {
      addMeta(to, '', { len: Object.keys(sent).length, rem: [['!limit', 'x']] })
      break
    }
    const entry = object(sent[name])
    if (sent[name] === null || (entry && !Object.keys(entry).length)) continue
    const key = name === '__proto__' ? '[__proto__]' : name.slice(0, 200)
    const limited = boundedObject(to, key, sent[name], { depth: 7, bytes: 8192 })
    if (limited) out.push([key, { ...limited, type: typeof limited['type'] === 'string' ? limited['type'] : key }])
  }
  to.path.pop()
  return Object.fromEntries(out)
}

function readImages({ received, event, metaNotes }: Draft): void {
  const loose = object(own(received, 'debug_meta'))
  const images = loose ? listOf(own(loose, 'images')).filter((entry) => object(entry)) : []
  if (!images.length) return
  metaNotes.path.push('debug_meta')
  const limited = bounded(metaNotes, 'images', images.slice(0, 1000), { depth: 5, bytes: 131_072 })
  metaNotes.path.pop()
  if (Array.isArray(limited))
    event.debug_meta = {
      images: limited.filter((entry): entry is { [key: string]: Json } => object(entry) !== undefined),
    }
}

function readSdk({ received, event, metaNotes }: Draft): void {
  const loose = object(own(received, 'sdk'))
  if (!loose) return
  const packages = listOf(own(loose, 'packages'))
    .slice(0, 100)
    .flatMap((entry) => {
      const pack = object(entry)
      const name = pack && text(metaNotes, 'sdk', own(pack, 'name'), 200)
      return pack && name ? [{ name, version: scalar(own(pack, 'version'))?.slice(0, 64) ?? '' }] : []
    })
  const sent = own(loose, 'integrations')
  const integrations = (Array.isArray(sent) ? sent : [])
    .slice(0, 200)
    .filter((entry): entry is string => typeof entry === 'string')
    .map((entry) => entry.slice(0, 128))
  event.sdk = {
    name: text(metaNotes, 'sdk', own(loose, 'name'), 128) ?? 'unknown',
    version: text(metaNotes, 'sdk', own(loose, 'version'), 64) ?? '',
    ...(packages.length ? { packages } : {}),
    ...(integrations.length ? { integrations } : {}),
  }
}

function typeOf(event: NormalEvent): NormalEvent['type'] {
  if (event.csp) return event.type
  if (event.exception) return 'error'
  return 'default'
}
