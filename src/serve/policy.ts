const endpoint = 'mishap'

/**
 * The policy of every page; `nonce` admits our own scripts, which admit their chunks by 'strict-dynamic'. What it keeps
 * from a page is reported to `reportPath`, on secure origins by the endpoint of that name.
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
    `object-src 'none'`,
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
    `form-action 'self'`,
    ...(reportPath === undefined ? [] : [`report-uri ${reportPath}`]),
    ...(reportPath !== undefined && isSecure ? [`report-to ${endpoint}`] : []),
  ].join('; ')
}

/** The header that says where the policy's endpoint is. */
export const reportingEndpoints = (reportPath: string): string => `${endpoint}="${reportPath}"`

/** Where the project of these screens' own errors takes reports: a path, so that it is right under each name of the origin. */
export function reportPathOf(dsn: string | undefined, basePath: string, version: string): string | undefined {
  if (dsn === undefined || !URL.canParse(dsn)) return undefined
  const { username, pathname } = new URL(dsn)
  const project = pathname.slice(pathname.lastIndexOf('/') + 1)
  const query = `sentry_key=${username}&sentry_environment=production&sentry_release=${encodeURIComponent(`mishap@${version}`)}`
  return `${basePath}/api/${project}/csp-report/?${query}`
}
