/** A frame's address without the "async" prefix of old SDKs and without the fragment. */
export function addressOf(absPath: string): string {
  const address = absPath.startsWith('async ') ? absPath.slice(6) : absPath
  const hash = address.indexOf('#')
  return hash > 0 && !address.startsWith('webpack') ? address.slice(0, hash) : address
}

const withoutQuery = (url: string): string => {
  const at = url.indexOf('?')
  return at < 0 ? url : url.slice(0, at)
}

/** Scheme and host of a URL, or '' for a bare path. */
function originOf(url: string): string {
  return /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i.exec(url)?.[0] ?? ''
}

/** The names that an uploaded file can have for this URL, the most exact first (docs/sourcemaps.md). */
export function urlCandidates(url: string): string[] {
  const origin = originOf(url)
  const path = url.slice(origin.length)
  const rooted = path.startsWith('/') ? `~${path}` : `~/${path}`
  const all = url.startsWith('~') ? [url, withoutQuery(url)] : [url, withoutQuery(url), rooted, withoutQuery(rooted)]
  return [...new Set(all)]
}

const markerBytes = '//# sourceMappingURL='.length
const markerAt = (script: string, end: number): number =>
  Math.max(script.lastIndexOf('//# sourceMappingURL=', end), script.lastIndexOf('//@ sourceMappingURL=', end))

/**
 * The reference in a file's last `sourceMappingURL` comment; undefined if absent. A quote, an expression or other text
 * behind it on its line shows that it is in a string of the program, which writes such comments itself.
 */
export function referenceOf(script: string): string | undefined {
  for (let at = markerAt(script, script.length); at >= 0; at = at > 0 ? markerAt(script, at - 1) : -1) {
    const start = at + markerBytes
    const length = script.slice(start).search(/[\n\r]/)
    const reference = (length < 0 ? script.slice(start) : script.slice(start, start + length)).trim()
    if (!/[\s'"`]|\$\{/.test(reference)) return reference || undefined
  }
  return undefined
}

/** The bytes of a Base64 or percent-encoded `data:` URL; undefined for anything else. */
export function dataUrlBytes(url: string): Buffer | undefined {
  const found = /^data:[^,]{0,200},/i.exec(url)?.[0]
  if (!found) return undefined
  const body = url.slice(found.length)
  if (/;base64,$/i.test(found)) return Buffer.from(body, 'base64')
  try {
    return Buffer.from(decodeURIComponent(body))
  } catch {
    return undefined
  }
}

/**
 * Resolves `reference` against the file at `base`. `~/` starts at the host. Nothing is percent-encoded: file names are
 * compared as they were uploaded.
 */
export function joinUrl(base: string, reference: string): string {
  if (/^[a-z][a-z\d+.-]+:/i.test(reference)) return reference
  const origin = originOf(base)
  if (reference.startsWith('//') && origin) return origin.slice(0, origin.indexOf('//')) + reference
  if (reference.startsWith('~/')) return origin ? origin + reference.slice(1) : reference
  if (reference.startsWith('/')) return origin + reference
  const path = withoutQuery(base.slice(origin.length)).replaceAll('\\', '/')
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  return origin + normal(`${folder || (origin ? '/' : '')}${reference}`)
}

/** A path without `.` and `..`. Steps above its root are dropped. */
function normal(path: string): string {
  const out: string[] = []
  for (const part of path.split('/')) {
    if (part === '.') continue
    if (part === '..') {
      if (out.length > 1 || (out.length === 1 && out[0] !== '' && out[0] !== '~')) out.pop()
    } else out.push(part)
  }
  return out.join('/')
}

/** A source path for display: without the bundler's scheme, namespace, query and leading `../`. */
export function shownSource(source: string): string {
  let path = source
  const bundled = /^(?:webpack|webpack-internal|turbopack|rspack|vite|parcel|rollup|metro):\/\/(?:[^/]*\/)?/i.exec(path)
  if (bundled) path = path.slice(bundled[0].length).replace(/^\[project\]\//, '')
  else path = path.slice(originOf(path).length)
  const vendored = path.lastIndexOf('/~/')
  if (vendored >= 0) path = path.slice(vendored + 1)
  return withoutQuery(path).replace(/^(?:\.\.\/)+/, '')
}

const topFolders =
  /^(?:js|scripts?|javascripts?|build|static|node_modules|bower_components|[._~].*|v?\d+(?:\.\d+)*|[a-f\d]{7,8}|[a-f\d]{32}|[a-f\d]{40})$/i

/** The module of a JavaScript file, for grouping. It is stable if folders and file names contain hashes. */
export function moduleOfPath(absPath: string): string | undefined {
  let path = withoutQuery(absPath.slice(originOf(absPath).length))
    .replace(/^\[project\]\//, '')
    .replace(/^[/\\]+/, '')
  path = path.replace(/\.[a-z\d]{1,5}$/i, '').replace(/\.min$/i, '')
  let parts = path.split('/').filter((part) => part !== '')
  const hashed = parts.findLastIndex((part) => /^(?:[a-f\d]{32}|[a-f\d]{40})$/i.test(part))
  if (hashed >= 0) parts = parts.slice(hashed + 1)
  while (parts.length > 1 && topFolders.test(parts[0] ?? '')) parts.shift()
  const name = parts.pop()?.replace(/[-.](?:[a-f\d]{7,8}|[a-f\d]{16}|[a-f\d]{20}|[a-f\d]{32}|[a-f\d]{40})$/i, '')
  return name ? [...parts, name].join('/') : undefined
}

/** The in_app value of a mapped frame by its source, else the SDK's. `source` is the path in the map. */
export function inAppOfSource(source: string, absPath: string, sentInApp: boolean | undefined): boolean | undefined {
  if (/(?:^|[/\\])(?:node_modules|bower_components)[/\\]|\/~\//.test(source)) return false
  if (/^(?:webpack|rspack|webpack-internal):\/\//.test(source))
    return /^[a-z-]+:\/\/[^/]*\/\.\//.test(source) || source.startsWith('webpack:///./')
  if (source.startsWith('./')) return true
  if (/^turbopack:\/\/[^/]*\/\[project\]\//.test(source)) return true
  return /^app:/.test(absPath) ? true : sentInApp
}
