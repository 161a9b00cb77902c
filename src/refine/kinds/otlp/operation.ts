import { type Loose, own, scalar } from '../../pipeline/value.ts'

/** Names of the span kinds, by their numbers in OTLP. */
const kinds = ['', 'internal', 'server', 'client', 'producer', 'consumer'] as const
export const kindOf = (kind: number): (typeof kinds)[number] => kinds[kind] ?? ''

/** Semantic conventions, the newer name first. */
const has = (attributes: Loose, ...names: string[]) => names.some((name) => own(attributes, name) !== undefined)

/**
 * The op of a span from the semantic conventions of OpenTelemetry; '' if none applies. A database call over HTTP has
 * both kinds of attributes, so the order matters: the most specific kind comes first.
 */
export function opOf(kind: number, attributes: Loose): string {
  const named = scalar(own(attributes, 'sentry.op'))
  if (named) return named
  if (has(attributes, 'faas.trigger', 'faas.invocation_id', 'faas.execution')) return 'function'
  if (has(attributes, 'db.system.name', 'db.system')) return 'db'
  if (has(attributes, 'messaging.system')) return 'messaging'
  if (has(attributes, 'rpc.system.name', 'rpc.system')) return 'rpc'
  if (!has(attributes, 'http.request.method', 'http.method')) return ''
  return kindOf(kind) === 'server' ? 'http.server' : kindOf(kind) === 'client' ? 'http.client' : 'http'
}

/** Platforms of events, for the languages of `telemetry.sdk.language` that have another name. */
const platforms: ReadonlyMap<string, string> = new Map([
  ['nodejs', 'node'],
  ['webjs', 'javascript'],
  ['dotnet', 'csharp'],
  ['cpp', 'native'],
  ['erlang', 'elixir'],
  ['swift', 'cocoa'],
])
const samePlatforms: ReadonlySet<string> = new Set(['python', 'java', 'go', 'php', 'ruby', 'rust'])

/** The platform of a resource; `other` for an unknown language. */
export function platformOf(resource: Loose): string {
  const language = scalar(own(resource, 'telemetry.sdk.language')) ?? ''
  return platforms.get(language) ?? (samePlatforms.has(language) ? language : 'other')
}
