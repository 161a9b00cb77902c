/** Path of MISHAP_URL at build time, '' for none. next.config.mjs inlines it. */
const builtWith: string = process.env.MISHAP_BASE_PATH ?? ''

/**
 * The URL of a page or call for plain links, forms and requests. Next adds the base path to Link, router and redirect
 * itself, so pass those the path without it.
 */
export function withBase(path: string, base = builtWith): string {
  return `${base}${path}`
}

/** Removes the prefix that `withBase` adds. A path without it stays unchanged. */
export function withoutBase(path: string, base = builtWith): string {
  return base !== '' && (path === base || path.startsWith(`${base}/`)) ? path.slice(base.length) || '/' : path
}
