import type { NormalEvent } from '../../../domain/event.ts'
import type { Json } from '../../../wire/json.ts'
import type { Draft } from '../../pipeline/draft.ts'
import { bounded, type Loose, type MetaNotes, object, own, safeKey, scalar, text } from '../../pipeline/value.ts'

/** Reports read from one request. The others count as invalid. */
export const reportsMax = 100
const loggers = { csp: 'csp', hpkp: 'hpkp', expectct: 'expect-ct', expectstaple: 'expect-staple' } as const
type Kind = keyof typeof loggers

/** Maps field names of the Reporting API to those of the older form. */
const reportingNames: ReadonlyMap<string, string> = new Map([
  ['documentURL', 'document_uri'],
  ['blockedURL', 'blocked_uri'],
  ['effectiveDirective', 'effective_directive'],
  ['violatedDirective', 'violated_directive'],
  ['originalPolicy', 'original_policy'],
  ['statusCode', 'status_code'],
  ['sourceFile', 'source_file'],
  ['lineNumber', 'line_number'],
  ['columnNumber', 'column_number'],
  ['sample', 'script_sample'],
  ['referrer', 'referrer'],
  ['disposition', 'disposition'],
])

/**
 * Turns the security reports of a browser into SDK-like events: `{csp: {...}, request, logger, ...}`. Undefined if the
 * value is no report at all. `other` counts reports of other kinds.
 */
export function reportsOf(value: unknown): { events: Loose[]; other: number } | undefined {
  const list = Array.isArray(value) ? value : [value]
  const events: Loose[] = []
  let other = 0
  for (const entry of list) {
    const loose = object(entry)
    const event = loose && reportEvent(loose)
    if (event) events.push(event)
    else other += 1
  }
  return events.length || (Array.isArray(value) && list.length) ? { events, other } : undefined
}

function reportEvent(loose: Loose): Loose | undefined {
  const body = object(own(loose, 'body'))
  if (own(loose, 'type') === 'csp-violation' && body) {
    const report = renamed(body)
    report['document_uri'] ??= own(loose, 'url')
    return wrapped('csp', report, own(loose, 'user_agent'))
  }
  const csp = object(own(loose, 'csp-report'))
  if (csp) return wrapped('csp', renamed(csp), undefined)
  const expectCt = object(own(loose, 'expect-ct-report'))
  if (expectCt) return wrapped('expectct', renamed(expectCt), undefined)
  const staple = object(own(loose, 'expect-staple-report'))
  if (staple) return wrapped('expectstaple', renamed(staple), undefined)
  if (own(loose, 'known-pins') !== undefined && own(loose, 'hostname') !== undefined)
    return wrapped('hpkp', renamed(loose), undefined)
  return undefined
}

function renamed(report: Loose): Loose {
  const out: Loose = {}
  for (const key of Object.keys(report).slice(0, 100))
    out[safeKey(reportingNames.get(key) ?? key.replaceAll('-', '_'))] = report[key]
  return out
}

function wrapped(kind: Kind, report: Loose, agent: unknown): Loose {
  const url = scalar(own(report, 'document_uri')) ?? scalar(own(report, 'hostname')) ?? ''
  const referrer = scalar(own(report, 'referrer'))
  const headers = [
    ...(referrer ? [['Referer', referrer]] : []),
    ...(typeof agent === 'string' ? [['User-Agent', agent]] : []),
  ]
  return {
    platform: 'other',
    logger: loggers[kind],
    level: 'error',
    user: { ip_address: '{{auto}}' },
    [kind]: report,
    request: { ...(url ? { url } : {}), headers },
  }
}

/** Reads csp, hpkp, expectct or expectstaple. The report goes into `csp`; the event's type is its kind. */
export function readSecurity({ received, event, metaNotes }: Draft): void {
  for (const kind of ['csp', 'hpkp', 'expectct', 'expectstaple'] as const) {
    const loose = object(own(received, kind))
    if (!loose) continue
    const report = readReport(metaNotes, renamed(loose))
    if (kind === 'csp') completeCsp(report)
    event.csp = report
    event.type = kind
    event.logger ??= loggers[kind]
    event.logentry ??= { formatted: sentence(kind, report) }
    addTags(event, kind, report)
    return
  }
}

function readReport(to: MetaNotes, loose: Loose): { [key: string]: Json } {
  const out: { [key: string]: Json } = {}
  to.path.push('csp')
  for (const key of Object.keys(loose)) {
    const value = loose[key]
    if (typeof value === 'string') out[key] = text(to, key, value, 8192) ?? ''
    else out[key] = bounded(to, key, value, { depth: 4, bytes: 8192 })
  }
  to.path.pop()
  return out
}

const line = (value: unknown): string => (typeof value === 'string' ? value.trim() : '')

function completeCsp(report: { [key: string]: Json }): void {
  const violated = line(report['violated_directive'])
  const effective = line(report['effective_directive']) || (violated.split(/\s/)[0] ?? '')
  report['effective_directive'] = effective.toLowerCase()
}

function addTags(event: NormalEvent, kind: Kind, report: { [key: string]: Json }): void {
  const names = new Set(event.tags.map(([key]) => key))
  const add = (key: string, value: unknown) => {
    const found = line(value).replace(/\s+/g, ' ').slice(0, 200)
    if (found && !names.has(key)) event.tags.push([key, found])
  }
  if (kind === 'csp') {
    add('effective-directive', report['effective_directive'])
    add('blocked-uri', line(report['blocked_uri']).replace(/[?#].*$/s, ''))
  } else add('hostname', report['hostname'])
}

/** The blocked resource and its directive. `local`: 'unsafe-inline' or 'unsafe-eval' code of the page itself. */
export function cspDetails(report: { [key: string]: Json }): {
  directive: string
  blocked: string
  local: string | undefined
} {
  const directive = line(report['effective_directive']).toLowerCase()
  const blocked = line(report['blocked_uri'])
  const violated = line(report['violated_directive'])
  const scripts = /^(?:script-src|style-src)/.test(directive)
  if (scripts && (blocked === '' || blocked === 'self' || blocked === 'inline' || blocked === 'eval')) {
    if (blocked === 'inline' || violated.includes("'unsafe-inline'"))
      return { directive, blocked: 'self', local: 'unsafe-inline' }
    if (blocked === 'eval' || violated.includes("'unsafe-eval'"))
      return { directive, blocked: 'self', local: 'unsafe-eval' }
  }
  return { directive, blocked: blockedLocation(blocked, line(report['document_uri'])), local: undefined }
}

/** The blocked host, "self" for the page's own, or the scheme if there is no host. */
function blockedLocation(blocked: string, documentUri: string): string {
  if (blocked === '' || blocked === 'self') return hostOf(documentUri) || 'self'
  const scheme = /^([a-z][a-z0-9+.-]{0,30}):/i.exec(blocked)?.[1]?.toLowerCase()
  if (!scheme) return blocked.slice(0, 256)
  if (['data', 'blob', 'filesystem', 'about', 'mediastream'].includes(scheme)) return `${scheme}:`
  return hostOf(blocked) || `${scheme}:`
}

/** Host and port of a URL, '' if it is no URL. */
export function hostOf(url: string): string {
  return /^[a-z][a-z0-9+.-]{0,30}:\/\/(?:[^/?#@]*@)?([^/?#]{1,256})/i.exec(url)?.[1]?.toLowerCase() ?? ''
}

const directiveNames: ReadonlyMap<string, string> = new Map([
  ['script-src', 'script'],
  ['script-src-elem', 'script'],
  ['script-src-attr', 'script'],
  ['style-src', 'style'],
  ['style-src-elem', 'style'],
  ['style-src-attr', 'style'],
  ['img-src', 'image'],
  ['font-src', 'font'],
  ['media-src', 'media'],
  ['object-src', 'object'],
  ['connect-src', 'connect'],
  ['frame-src', 'frame'],
  ['child-src', 'child'],
  ['worker-src', 'worker'],
  ['manifest-src', 'manifest'],
  ['form-action', 'form'],
  ['base-uri', 'base'],
])

/** A one-line summary of the report. */
export function sentence(kind: Kind, report: { [key: string]: Json }): string {
  const host = line(report['hostname']) || 'unknown host'
  if (kind === 'hpkp') return `Public key pinning validation failed for '${host}'`
  if (kind === 'expectct') return `Expect-CT failed for '${host}'`
  if (kind === 'expectstaple') return `Expect-Staple failed for '${host}'`
  const { directive, blocked, local } = cspDetails(report)
  const name = directiveNames.get(directive) ?? (directive || 'unknown')
  if (local === 'unsafe-eval') return `Blocked unsafe eval() '${name}'`
  if (local) return `Blocked unsafe inline '${name}'`
  const own = blocked === hostOf(line(report['document_uri']))
  return `Blocked '${name}' from '${own ? 'self' : blocked}'`
}
