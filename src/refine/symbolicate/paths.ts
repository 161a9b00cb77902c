/** What an SDK sent as a frame's address, without what is no part of it: the word "async" of old SDKs and the fragment. */
export function addressOf(absPath: string): string {
  const address = absPath.startsWith('async ') ? absPath.slice(6) : absPath
  const hash = address.indexOf('#')
  return hash > 0 && !address.startsWith('webpack') ? address.slice(0, hash) : address
}

const withoutQuery = (url: string): string => {
  const at = url.indexOf('?')
  return at < 0 ? url : url.slice(0, at)
}

/** Scheme and host of a URL, or nothing for a bare path. */
function originOf(url: string): string {
  return /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i.exec(url)?.[0] ?? ''
}

/** The names under which a file may have been uploaded, the most exact first (docs/sourcemaps.md). */
export function urlCandidates(url: string): string[] {
  const origin = originOf(url)
  const path = url.slice(origin.length)
  const rooted = path.startsWith('/') ? `~${path}` : `~/${path}`
  const all = url.startsWith('~') ? [url, withoutQuery(url)] : [url, withoutQuery(url), rooted, withoutQuery(rooted)]
  return [...new Set(all)]
}

/** The text after the last `sourceMappingURL` comment of a file, or undefined. Comments stand on a line of their own. */
export function referenceOf(script: string): string | undefined {
  const at = Math.max(script.lastIndexOf('//# sourceMappingURL='), script.lastIndexOf('//@ sourceMappingURL='))
  if (at < 0) return undefined
  const start = at + '//# sourceMappingURL='.length
  const end = script.slice(start).search(/[\s'"]/)
  return (end < 0 ? script.slice(start) : script.slice(start, start + end)) || undefined
}

/** The bytes of a `data:` URL, in Base64 or with percents; undefined for anything else. */
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
 * `reference` as seen from the file at `base`; `~/` begins at the host. Nothing is percent-encoded on the way: names of
 * files are compared as they were uploaded.
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

/** A path without `.` and `..`; those that lead above its root are dropped. */
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

/** A source's path as people know it: without the bundler's scheme, name space, query and the way up to it. */
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

/** The module of a JavaScript file by its path, for grouping: stable where folders and names carry a hash. */
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

/**
 * in_app of a mapped frame by its source, or what the SDK said. `source` is the path as the map has it.
 */
export function inAppOfSource(source: string, absPath: string, said: boolean | undefined): boolean | undefined {
  if (/(?:^|[/\\])(?:node_modules|bower_components)[/\\]|\/~\//.test(source)) return false
  if (/^(?:webpack|rspack|webpack-internal):\/\//.test(source))
    return /^[a-z-]+:\/\/[^/]*\/\.\//.test(source) || source.startsWith('webpack:///./')
  if (source.startsWith('./')) return true
  if (/^turbopack:\/\/[^/]*\/\[project\]\//.test(source)) return true
  return /^app:/.test(absPath) ? true : said
}
