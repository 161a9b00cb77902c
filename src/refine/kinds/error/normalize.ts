import type { NormalEvent } from '../../../domain/event.ts'
import { versionFault } from '../../../domain/release-order.ts'
import type { Json } from '../../../wire/json.ts'
import type { Context } from '../../pipeline/context.ts'
import type { Draft } from '../../pipeline/draft.ts'
import {
  bounded,
  boundedObject,
  complain,
  type Loose,
  listOf,
  object,
  own,
  type Remarks,
  remark,
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
  const { received, event, remarks } = draft
  const meta = object(own(received, '_meta'))
  if (meta)
    Object.assign(
      remarks.meta,
      boundedObject({ path: [], meta: {}, errors: [] }, '', meta, { depth: 20, bytes: 16_384 }),
    )
  event.platform = platformOf(remarks, own(received, 'platform'))
  const shiftS = drift(context.head.receivedMs, context.sentMs)
  readTime(draft, context, shiftS)
  readNames(draft, context)
  event.tags = readTags(remarks, own(received, 'tags'))
  moveTags(draft)
  readParts(draft, shiftS)
  readExtras(draft)
  readSdk(draft)
  readSecurity(draft)
  event.type = typeOf(event)
  const level = levelOf(own(received, 'level'))
  if (level) event.level = level
  else if (own(received, 'level') !== undefined && own(received, 'level') !== null)
    complain(remarks, 'invalid_data', 'level', own(received, 'level'))
}

function platformOf(to: Remarks, value: unknown): string {
  const name = scalar(value)?.trim().toLowerCase()
  if (!name) return 'other'
  if (/^[a-z0-9_.+#-]{1,64}$/.test(name)) return name
  complain(to, 'invalid_data', 'platform', name)
  return 'other'
}

function readTime(draft: Draft, context: Context, shiftS: number): void {
  const receivedS = context.head.receivedMs / 1000
  const sent = own(draft.received, 'timestamp')
  const time = seconds(sent)
  if (shiftS)
    draft.remarks.errors.push({
      type: 'clock_drift',
      name: 'timestamp',
      reason: `all times moved by ${Math.round(shiftS)} s`,
    })
  draft.event.received = receivedS
  draft.event.timestamp = receivedS
  if (time === undefined) {
    if (sent !== undefined && sent !== null)
      complain(draft.remarks, 'invalid_data', 'timestamp', sent, 'expected a time')
    return
  }
  const moved = Math.round((time + shiftS) * 1e6) / 1e6
  if (moved > receivedS + futureMaxS) complain(draft.remarks, 'future_timestamp', 'timestamp', sent)
  else if (moved < receivedS - pastMaxS) complain(draft.remarks, 'past_timestamp', 'timestamp', sent)
  else draft.event.timestamp = moved
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

function readNames({ received, event, remarks }: Draft, context: Context): void {
  const valid = {
    release: releaseOf,
    environment: environmentOf,
    dist: (value: unknown) => scalar(value)?.trim().slice(0, 64) || undefined,
  }
  for (const key of ['release', 'environment', 'dist'] as const) {
    const sent = own(received, key) ?? (key === 'dist' ? undefined : context.head[key])
    const found = valid[key](sent)
    if (found) event[key] = found
    else if (sent !== undefined && sent !== null && sent !== '') complain(remarks, 'invalid_data', key, sent)
  }
  const limits = { logger: 64, transaction: 200, server_name: 256, checksum: 128 } as const
  for (const key of ['logger', 'transaction', 'server_name', 'checksum'] as const) {
    const found = text(remarks, key, own(received, key), limits[key])?.trim()
    if (found) event[key] = found
  }
  const prints = own(received, 'fingerprint')
  const list = Array.isArray(prints) ? prints : prints === undefined || prints === null ? [] : [prints]
  const kept = list.slice(0, 32).flatMap((entry, i) => text(remarks, `fingerprint.${i}`, entry, 1024) ?? [])
  if (kept.length) event.fingerprint = kept
}

/** Moves the tag `environment` to its field, and the fields server_name and site to tags. */
function moveTags({ received, event, remarks }: Draft): void {
  const environment = event.tags.find(([key]) => key === 'environment')
  if (environment) {
    event.tags = event.tags.filter((tag) => tag !== environment)
    const found = environmentOf(environment[1])
    if (!found) complain(remarks, 'invalid_data', 'tags.environment', environment[1])
    else if (!event.environment) event.environment = found
  }
  const names = new Set(event.tags.map(([key]) => key))
  for (const key of ['server_name', 'site'] as const) {
    const found = text(remarks, key, own(received, key), 200)
    if (found && !names.has(key)) event.tags.push([key, found.replace(/[\r\n]+/g, ' ')])
  }
}

/** The field by its name or its old alias `sentry.interfaces.X`. */
function part(received: Loose, name: string, alias: string): unknown {
  return own(received, name) ?? own(received, `sentry.interfaces.${alias}`)
}

function readParts({ received, event, remarks }: Draft, shiftS: number): void {
  const exceptions = readExceptions(remarks, part(received, 'exception', 'Exception'), event.platform)
  if (exceptions.length) event.exception = { values: exceptions }
  const threads = readThreads(remarks, part(received, 'threads', 'Threads'), event.platform)
  if (threads.length) event.threads = { values: threads }
  const stacktrace = readStacktrace(remarks, 'stacktrace', part(received, 'stacktrace', 'Stacktrace'), event.platform)
  if (stacktrace) event.stacktrace = stacktrace
  const logentry = readLogentry(remarks, 'logentry', part(received, 'logentry', 'Message') ?? own(received, 'message'))
  if (logentry) event.logentry = logentry
  const breadcrumbs = readBreadcrumbs(remarks, part(received, 'breadcrumbs', 'Breadcrumbs'), shiftS)
  if (breadcrumbs.length) event.breadcrumbs = { values: breadcrumbs }
  const request = readRequest(remarks, part(received, 'request', 'Http'))
  if (request) event.request = request
  const user = readUser(remarks, part(received, 'user', 'User'))
  if (user) event.user = user
  const template = boundedObject(remarks, 'template', part(received, 'template', 'Template'), { depth: 4, bytes: 8192 })
  if (template) event.template = template
}

function readExtras({ received, event, remarks }: Draft): void {
  const extra = object(own(received, 'extra'))
  if (extra && Object.keys(extra).length) {
    const kept = boundedObject(remarks, 'extra', extra, { depth: 7, bytes: 262_144, text: 16_384 })
    if (kept) event.extra = kept
  }
  const modules = object(own(received, 'modules'))
  if (modules) {
    const pairs: [string, string][] = []
    let bytes = 0
    for (const name of Object.keys(modules)) {
      const version = scalar(modules[name]) ?? ''
      bytes += name.length + version.length
      if (bytes > 8192) {
        remark(remarks, 'modules', { len: Object.keys(modules).length, rem: [['!limit', 'x']] })
        break
      }
      pairs.push([name, version])
    }
    if (pairs.length) event.modules = Object.fromEntries(pairs)
  }
  event.contexts = readContexts(remarks, own(received, 'contexts'))
  readImages({ received, event, remarks })
  const errors = own(received, 'errors')
  if (Array.isArray(errors)) {
    for (const error of errors.slice(0, 20)) {
      const loose = object(error)
      const type = loose && text(remarks, 'errors', own(loose, 'type'), 128)
      if (loose && type) complain(remarks, type, scalar(own(loose, 'name'))?.slice(0, 200) ?? '', own(loose, 'value'))
    }
  }
}

function readContexts(to: Remarks, value: unknown): NormalEvent['contexts'] {
  const out: [string, { [key: string]: Json }][] = []
  const sent: Loose = object(value) ?? {}
  to.path.push('contexts')
  for (const name in sent) {
    if (out.length >= 100) {
      remark(to, '', { len: Object.keys(sent).length, rem: [['!limit', 'x']] })
      break
    }
    const entry = object(sent[name])
    if (sent[name] === null || (entry && !Object.keys(entry).length)) continue
    const key = name === '__proto__' ? '[__proto__]' : name.slice(0, 200)
    const kept = boundedObject(to, key, sent[name], { depth: 7, bytes: 8192 })
    if (kept) out.push([key, { ...kept, type: typeof kept['type'] === 'string' ? kept['type'] : key }])
  }
  to.path.pop()
  return Object.fromEntries(out)
}

function readImages({ received, event, remarks }: Draft): void {
  const loose = object(own(received, 'debug_meta'))
  const images = loose ? listOf(own(loose, 'images')).filter((entry) => object(entry)) : []
  if (!images.length) return
  remarks.path.push('debug_meta')
  const kept = bounded(remarks, 'images', images.slice(0, 1000), { depth: 5, bytes: 131_072 })
  remarks.path.pop()
  if (Array.isArray(kept))
    event.debug_meta = { images: kept.filter((entry): entry is { [key: string]: Json } => object(entry) !== undefined) }
}

function readSdk({ received, event, remarks }: Draft): void {
  const loose = object(own(received, 'sdk'))
  if (!loose) return
  const packages = listOf(own(loose, 'packages'))
    .slice(0, 100)
    .flatMap((entry) => {
      const pack = object(entry)
      const name = pack && text(remarks, 'sdk', own(pack, 'name'), 200)
      return pack && name ? [{ name, version: scalar(own(pack, 'version'))?.slice(0, 64) ?? '' }] : []
    })
  const sent = own(loose, 'integrations')
  const integrations = (Array.isArray(sent) ? sent : [])
    .slice(0, 200)
    .filter((entry): entry is string => typeof entry === 'string')
    .map((entry) => entry.slice(0, 128))
  event.sdk = {
    name: text(remarks, 'sdk', own(loose, 'name'), 128) ?? 'unknown',
    version: text(remarks, 'sdk', own(loose, 'version'), 64) ?? '',
    ...(packages.length ? { packages } : {}),
    ...(integrations.length ? { integrations } : {}),
  }
}

function typeOf(event: NormalEvent): NormalEvent['type'] {
  if (event.csp) return event.type
  if (event.exception) return 'error'
  return 'default'
}
