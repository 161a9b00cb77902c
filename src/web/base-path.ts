/** Path of MISHAP_URL that these screens were built with, '' for none; next.config.mjs has it written in here. */
const builtWith: string = process.env.MISHAP_BASE_PATH ?? ''

/**
 * The address of one of our own pages or calls for what the browser takes as it is: plain links, forms, requests. Next
 * does the same for Link, router and redirect, so those get the path without.
 */
export function withBase(path: string, base = builtWith): string {
  return `${base}${path}`
}

/** A path without what `withBase` puts before it; one that lacks it stays as it is. */
export function withoutBase(path: string, base = builtWith): string {
  return base !== '' && (path === base || path.startsWith(`${base}/`)) ? path.slice(base.length) || '/' : path
}
