import type { Page } from '../query/cursor.ts'

/** Most rows that a list counts (X-Max-Hits). */
const hitsMax = 10_000

/**
 * Headers of one page of a list: Link with both directions, always, as clients stop on results="false" only; X-Hits where the number is known.
 * X-Walk says what a walk by the links is worth (docs/rest.md).
 * `url` is the asked address; links are made under `origin`, because the listener may stand behind a proxy.
 */
export function pageHeaders(origin: string, url: string, page: Page<unknown>): Record<string, string> {
  const asked = new URL(url)
  const link = (rel: 'previous' | 'next', at: { cursor: string; results: boolean }) => {
    const search = new URLSearchParams(asked.search)
    search.delete('cursor')
    search.append('cursor', at.cursor)
    // cursors hold colons; other clients read them as they stand
    return `<${origin}${asked.pathname}?${search.toString().replaceAll('%3A', ':')}>; rel="${rel}"; results="${at.results}"; cursor="${at.cursor}"`
  }
  const headers: Record<string, string> = {
    link: `${link('previous', page.previous)}, ${link('next', page.next)}`,
    'x-walk': page.walk,
  }
  if (page.hits !== undefined) Object.assign(headers, { 'x-hits': String(page.hits), 'x-max-hits': String(hitsMax) })
  return headers
}
