const endpoint = 'mishap'

/**
 * Returns the policy of all pages. `nonce` allows our own scripts, which load their chunks by 'strict-dynamic'.
 * Violations are reported to `reportPath`; secure origins use the endpoint of that name.
 */
export function contentPolicy(nonce: string, dev: boolean, reportPath?: string, isSecure = false): string {
  const script = dev ? `'self' 'unsafe-eval' 'unsafe-inline'` : `'self' 'nonce-${nonce}' 'strict-dynamic'`
  const style = dev ? `'self' 'unsafe-inline'` : `'self' 'nonce-${nonce}'`
  return [
    `default-src 'self'`,
    `script-src ${script}`,
    `style-src ${style}`,
    `style-src-attr 'unsafe-inline'`,
    `img-src 'self' data:`,
    `font-src 'self'`,
    `connect-src 'self'${dev ? ' ws:' : ''}`,
    // The service worker of push messages. Without its own line, script-src with a nonce decides about workers.
    `worker-src 'self'`,
    `object-src 'none'`,
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
    `form-action 'self'`,
    ...(reportPath === undefined ? [] : [`report-uri ${reportPath}`]),
    ...(reportPath !== undefined && isSecure ? [`report-to ${endpoint}`] : []),
  ].join('; ')
}

/** Returns the header with the address of the reporting endpoint. */
export const reportingEndpoints = (reportPath: string): string => `${endpoint}="${reportPath}"`

/** Returns the report path for errors of these screens. A path works under every name of the origin. */
export function reportPathOf(dsn: string | undefined, basePath: string, version: string): string | undefined {
  if (dsn === undefined || !URL.canParse(dsn)) return undefined
  const { username, pathname } = new URL(dsn)
  const project = pathname.slice(pathname.lastIndexOf('/') + 1)
  const query = `sentry_key=${username}&sentry_environment=production&sentry_release=${encodeURIComponent(`mishap@${version}`)}`
  return `${basePath}/api/${project}/csp-report/?${query}`
}
