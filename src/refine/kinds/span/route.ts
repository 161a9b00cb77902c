import type { RouteRules } from '../../../domain/traces/routes.ts'
import { type Loose, own, scalar } from '../../pipeline/value.ts'
import { parameterizedPath, pathOf } from './path.ts'

/** A segment: its name as sent, where the SDK took it from, and its scrubbed attributes. */
type RouteSource = { op: string; kind: string; name: string; source: string; release: string; attributes: Loose }

const routeMax = 200
/** Names that say only the kind of a segment. */
const generic = /^(?:pageload|navigation|page ?load|unknown|unknown route|<unlabeled [\w ]{1,40}>|[A-Z]{3,7}|)$/i
const withMethod = /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|TRACE|CONNECT|QUERY)\s+(?=\S)/
/** Sources of names that are parameterized already, as SDKs state them. */
const templates: ReadonlySet<string> = new Set(['route', 'view', 'component', 'task', 'custom'])

const text = (attributes: Loose, ...keys: string[]): string => {
  for (const key of keys) {
    const value = scalar(own(attributes, key))?.trim()
    if (value) return value
  }
  return ''
}

/** The path of a page or request without placeholders, from the attributes of its segment. */
function addressOf(attributes: Loose): string | undefined {
  const address = text(attributes, 'url.path', 'url.full', 'http.target', 'http.url', 'url')
  return address ? pathOf(address) : undefined
}

/** The route without a method: a template of the framework, else the segment's name, else its address. */
function pageOf({ name, source, release, attributes }: RouteSource, rules: RouteRules | undefined): string {
  const template = text(attributes, 'http.route', 'url.template', 'next.route')
  if (template) return template.replace(withMethod, '').replace(/(?<=.)\/$/, '')
  const bare = name.replace(withMethod, '').trim()
  const isGeneric = generic.test(bare)
  if (!isGeneric && templates.has(source)) return bare
  const address = addressOf(attributes)
  if (address !== undefined && (isGeneric || source === 'url')) return parameterizedPath(address, rules, release)
  const path = /^(?:\/|https?:\/\/)/.test(bare) ? pathOf(bare) : undefined
  return path === undefined ? bare : parameterizedPath(path, rules, release)
}

/**
 * The route of a segment: its parameterized page, endpoint or job. Requests to a server that change something begin with
 * their method: `POST /orders`, as they are other work than `/orders`. '' if the segment names nothing.
 */
export function routeOf(segment: RouteSource, rules?: RouteRules): string {
  const page = pageOf(segment, rules)
  const isServer = segment.op === 'http.server' || segment.kind === 'server'
  const sent =
    text(segment.attributes, 'http.request.method', 'http.method') || (withMethod.exec(segment.name)?.[1] ?? '')
  const method = /^[a-z]{3,10}$/i.test(sent) ? sent.toUpperCase() : ''
  const isReading = method === '' || method === 'GET' || method === 'HEAD'
  const route = isServer && !isReading && page.startsWith('/') ? `${method} ${page}` : page
  return route.length > routeMax ? `${route.slice(0, routeMax - 3).toWellFormed()}...` : route
}

/** Whether the name of a segment says which page it was. */
export const isNamed = (name: string): boolean => !generic.test(name.replace(withMethod, '').trim())
