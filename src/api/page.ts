import type { Page } from '../query/cursor.ts'

/** Maximum rows that a list counts (X-Max-Hits). */
const hitsMax = 10_000

/**
 * Returns headers of a list page. Link always has both directions, because clients stop only at results="false". X-Hits
 * is set if the count is known. X-Walk is the consistency of paging by links (docs/rest.md). `url` is the requested
 * address. Links use `origin`, because the listener can be behind a proxy.
 */
export function pageHeaders(origin: string, url: string, page: Page<unknown>): Record<string, string> {
  const parsed = new URL(url)
  const link = (rel: 'previous' | 'next', at: { cursor: string; results: boolean }) => {
    const search = new URLSearchParams(parsed.search)
    search.delete('cursor')
    search.append('cursor', at.cursor)
    // Cursors contain colons. Some clients read them unescaped.
    return `<${origin}${parsed.pathname}?${search.toString().replaceAll('%3A', ':')}>; rel="${rel}"; results="${at.results}"; cursor="${at.cursor}"`
  }
  const headers: Record<string, string> = {
    link: `${link('previous', page.previous)}, ${link('next', page.next)}`,
    'x-walk': page.walk,
  }
  if (page.hits !== undefined) Object.assign(headers, { 'x-hits': String(page.hits), 'x-max-hits': String(hitsMax) })
  return headers
}
