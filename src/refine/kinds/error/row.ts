import { hash } from 'node:crypto'
import type { NormalEvent } from '../../../domain/event.ts'
import { skewTag } from '../../../domain/skew.ts'
import type { EventRow } from '../../../store/events/events.ts'
import type { EventEffect } from '../../../store/meta/meta.ts'
import { normalizeId } from '../../../wire/ids.ts'
import type { Json } from '../../../wire/json.ts'
import { diagnosticKeysOf } from '../../diagnostics/keys.ts'
import { hashesOf } from '../../fingerprint/fingerprint.ts'
import type { Forms } from '../../pipeline/lines.ts'
import { scalar } from '../../pipeline/value.ts'
import { missesOf } from '../../symbolicate/misses.ts'
import { frameTexts } from './frame-texts.ts'

const messageMax = 8192
const tagValueMax = 200

/** Builds the row of a refined event. `forms`: the scrubbed normalized and received JSON, one line each. */
export function rowOf(
  event: NormalEvent,
  forms: Forms,
  location: { projectId: number; jpos: number; receivedMs: number },
): EventRow {
  const hashes = hashesOf(event)
  const main = event.exception?.values.at(-1)
  const user = userText(event.user)
  return {
    projectId: location.projectId,
    groupHash: hashes[0] ?? '0'.repeat(16),
    hashes,
    timestampUs: Math.round(event.timestamp * 1e6),
    receivedMs: location.receivedMs,
    eventId: event.event_id,
    jpos: location.jpos,
    gen: 0,
    userHash: userHash(event.user),
    level: event.level,
    environment: event.environment ?? '',
    release: event.release ?? '',
    transaction: event.transaction ?? '',
    type: event.findings.metadata.type ?? main?.type ?? event.type,
    platform: event.platform,
    message: messageText(event),
    tags: rowTags(event, user),
    traceId: normalizeId(event.contexts['trace']?.['trace_id']) ?? '',
    digest: event.findings.digest?.value ?? '',
    frames: frameTexts(event),
    payload: `${forms.normal}\n${forms.received}`,
  }
}

/** The affected user with a prefix for the kind: id, else e-mail, else user name, else address; '' if unknown. */
function userText(user: NormalEvent['user']): string {
  if (user?.id) return `id:${user.id}`
  if (user?.email) return `email:${user.email}`
  if (user?.username) return `username:${user.username}`
  return user?.ip_address ? `ip:${user.ip_address}` : ''
}

/** The hash of a user, 16 hex digits; '' if unknown. */
export function userHash(user: NormalEvent['user']): string {
  const text = userText(user)
  return text ? hash('md5', text, 'hex').slice(0, 16) : ''
}

/** The text of a word search: title, values of all exceptions, and message. */
function messageText(event: NormalEvent): string {
  const parts = new Set([event.findings.title])
  for (const exception of (event.exception?.values ?? []).toReversed())
    if (exception.value) parts.add(exception.type ? `${exception.type}: ${exception.value}` : exception.value)
  if (event.logentry?.formatted) parts.add(event.logentry.formatted)
  if (event.logentry?.message) parts.add(event.logentry.message)
  return [...parts].join('\n').slice(0, messageMax).toWellFormed()
}

/** The event's tags, and tags derived for search and distribution. Values are one line of at most 200 characters. */
function rowTags(event: NormalEvent, user: string): Record<string, string> {
  const { contexts } = event
  const tags = new Map(event.tags)
  // These names are fields. A tag of the same name must not differ.
  field(tags, 'environment', event.environment)
  field(tags, 'release', event.release)
  field(tags, 'level', event.level)
  field(tags, 'dist', event.dist)
  field(tags, 'user', user)
  field(tags, skewTag, event.findings.signs?.skew?.kind)
  // `user` contains one of them. The others have their own names.
  for (const [key, value] of [
    ['email', event.user?.email],
    ['username', event.user?.username],
    ['ip', event.user?.ip_address],
  ] as const)
    if (value && user !== `${key}:${value}`) derive(tags, `user.${key}`, value)
  const mechanism = event.exception?.values.at(-1)?.mechanism
  derive(tags, 'transaction', event.transaction)
  derive(tags, 'logger', event.logger)
  derive(tags, 'server_name', event.server_name)
  derive(tags, 'url', event.request?.url)
  derive(tags, 'http.method', event.request?.method)
  if (event.sdk && event.sdk.name !== 'unknown') {
    derive(tags, 'sdk.name', event.sdk.name)
    derive(tags, 'sdk.version', event.sdk.version)
  }
  for (const key of ['country_code', 'region', 'city'] as const) derive(tags, `geo.${key}`, event.user?.geo?.[key])
  derive(tags, 'mechanism', mechanism?.type)
  if (mechanism?.handled !== undefined) derive(tags, 'handled', mechanism.handled ? 'yes' : 'no')
  named(tags, 'browser', contexts['browser'])
  named(tags, 'client_os', contexts['client_os'])
  named(tags, 'os', contexts['os'])
  named(tags, 'runtime', contexts['runtime'])
  const device = contexts['device']
  if (device) {
    derive(tags, 'device', text(device, 'model') ?? text(device, 'family'))
    derive(tags, 'device.family', text(device, 'family'))
  }
  return Object.fromEntries(tags)
}

type Details = { [key: string]: Json } | undefined

const text = (details: NonNullable<Details>, key: string): string | undefined => scalar(details[key])?.trim()

/** `browser` as "Chrome 120.0" and `browser.name` as "Chrome". */
function named(tags: Map<string, string>, key: string, details: Details): void {
  const name = details && text(details, 'name')
  if (!name) return
  const version = text(details, 'version')
  derive(tags, key, version ? `${name} ${version}` : name)
  derive(tags, `${key}.name`, name)
}

function derive(tags: Map<string, string>, key: string, value: string | undefined): void {
  if (value && !tags.has(key)) put(tags, key, value)
}

function field(tags: Map<string, string>, key: string, value: string | undefined): void {
  tags.delete(key)
  if (value) put(tags, key, value)
}

function put(tags: Map<string, string>, key: string, value: string): void {
  const line = (/[\r\n]/.test(value) ? value.replace(/[\r\n]+/g, ' ') : value).trim()
  if (line) tags.set(key, line.length > tagValueMax ? `${line.slice(0, tagValueMax - 3).toWellFormed()}...` : line)
}

/** Characters of a route that are compared. */
const routeMax = 200

/** The path of the page. Host, query and method can differ between browser and server and are left out. */
function routeOf({ request, transaction }: NormalEvent): string {
  const url = request?.url ?? ''
  const path = URL.canParse(url) ? new URL(url).pathname : (transaction?.replace(/^[A-Z]+ /, '') ?? '')
  return path
    .replace(/(.)\/$/, '$1')
    .slice(0, routeMax)
    .toWellFormed()
}

/** Builds the event's effect on its issue. */
export function makeEffect(event: NormalEvent, row: EventRow, keyId: number): EventEffect {
  const { findings } = event
  const misses = missesOf(event)
  const diagnostics = diagnosticKeysOf(findings.signs)
  return {
    projectId: row.projectId,
    keyId,
    jpos: row.jpos,
    eventId: row.eventId,
    hashes: row.hashes,
    title: findings.title,
    culprit: findings.culprit,
    kind: findings.kind,
    level: row.level,
    platform: row.platform,
    logger: event.logger ?? '',
    metadata: findings.metadata,
    timestampMs: Math.floor(row.timestampUs / 1000),
    receivedMs: row.receivedMs,
    release: row.release,
    environment: row.environment,
    digest: row.digest,
    unhandled: findings.unhandled,
    ...(diagnostics ? { diagnostics } : {}),
    ...(findings.failure
      ? {
          failure: { ...findings.failure, traceId: row.traceId, route: routeOf(event), userHash: row.userHash },
        }
      : {}),
    ...(misses.length > 0 ? { misses } : {}),
  }
}
