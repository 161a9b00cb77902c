import { withBase } from '../base-path.ts'

// The projects that a person selected last, by organization. The server reads the cookie, so that the first document
// already shows them.

const yearS = 31_536_000
const slugsMax = 50

/** The name of the cookie of an organization. */
export const selectionCookie = (organization: string): string => `projects.${organization}`

/** The slugs of a cookie of this person that still name readable projects. Cookies of other people are ignored. */
export function rememberedProjects(
  cookie: string | undefined,
  personId: string,
  projects: readonly { slug: string }[],
): string[] {
  const [owner, slugs = ''] = (cookie ?? '').split(':')
  if (owner !== personId) return []
  const named = new Set(slugs.split(',').slice(0, slugsMax))
  return projects.map((project) => project.slug).filter((slug) => named.has(slug))
}

/** The value of the cookie. The words come from an address, so only those that can be a slug are stored. */
export function selectionValue(personId: string, words: readonly string[]): string {
  const slugs = words.filter((word) => /^[\w-]{1,64}$/.test(word)).slice(0, slugsMax)
  return slugs.length ? `${personId}:${slugs.join(',')}` : ''
}

/** Stores the selection for one year. No words: forgets it. */
export function rememberProjects(organization: string, personId: string, words: readonly string[]): void {
  const value = selectionValue(personId, words)
  // biome-ignore lint/suspicious/noDocumentCookie: not every supported browser has the Cookie Store API
  document.cookie = `${selectionCookie(organization)}=${value}; path=${withBase('/')}; max-age=${value ? yearS : 0}; samesite=lax`
}

/** What an address says about projects: slugs or ids, without empty parts. Undefined: the screen has no such filter. */
export type AddressSelection = { path: string; rest: string; words: string[] } | undefined

/** Reads the project filter of an address. Only the lists of issues and releases have a filter. */
export function addressSelection(base: string, path: string, search: URLSearchParams): AddressSelection {
  if (path !== `${base}/issues` && path !== `${base}/releases`) return undefined
  const rest = new URLSearchParams(search)
  rest.delete('project')
  const words = (search.get('project') ?? '').split(',').filter((word) => word !== '')
  return { path, rest: rest.toString(), words }
}

/**
 * The selection to remember after a navigation, or undefined to keep the old selection. An address with projects wins. An
 * address without projects means "all" only if the person removed just them: other links, such as saved views, must not
 * clear the selection.
 */
export function selectionAfter(before: AddressSelection, now: AddressSelection): string[] | undefined {
  if (!now) return undefined
  if (now.words.length) return now.words
  const isCleared = before && before.words.length > 0 && before.path === now.path && before.rest === now.rest
  return isCleared ? [] : undefined
}
