import type { OutcomeReason } from '../base/outcome.ts'

/** Browsers that the filter can drop, with the last version that counts as old. */
export const oldBrowsers = {
  ie: 11,
  edge: 110,
  safari: 15,
  firefox: 110,
  chrome: 110,
  opera: 99,
  opera_mini: 34,
  android: 3,
} as const
export type OldBrowser = keyof typeof oldBrowsers
export const isOldBrowser = (name: string): name is OldBrowser => Object.hasOwn(oldBrowsers, name)

/**
 * Inbound filters of a project. `messages`, `releases` and `cspSources`: patterns with `*`. `addresses`: addresses and
 * networks.
 */
export type ProjectFilters = {
  extensions: boolean
  localhost: boolean
  crawlers: boolean
  hydration: boolean
  chunkLoad: boolean
  browsers: OldBrowser[]
  messages: string[]
  releases: string[]
  addresses: string[]
  cspSources: string[]
}

export const noFilters: ProjectFilters = {
  extensions: false,
  localhost: false,
  crawlers: false,
  hydration: false,
  chunkLoad: false,
  browsers: [],
  messages: [],
  releases: [],
  addresses: [],
  cspSources: [],
}

type Switch = 'extensions' | 'localhost' | 'crawlers' | 'hydration' | 'chunkLoad'
type Patterns = 'messages' | 'releases' | 'addresses' | 'cspSources'
type KnownFilter = { id: string; reason: OutcomeReason } & (
  | { kind: 'switch'; key: Switch }
  | { kind: 'browsers'; key: 'browsers' }
  | { kind: 'patterns'; key: Patterns }
)

/** All filters, with their API name and their outcome reason. */
export const inboundFilters = [
  { id: 'browser-extensions', reason: 'browser_extension', kind: 'switch', key: 'extensions' },
  { id: 'legacy-browsers', reason: 'legacy_browser', kind: 'browsers', key: 'browsers' },
  { id: 'localhost', reason: 'localhost', kind: 'switch', key: 'localhost' },
  { id: 'web-crawlers', reason: 'web_crawler', kind: 'switch', key: 'crawlers' },
  { id: 'react-hydration-errors', reason: 'hydration_error', kind: 'switch', key: 'hydration' },
  { id: 'chunk-load-error', reason: 'chunk_load_error', kind: 'switch', key: 'chunkLoad' },
  { id: 'error-messages', reason: 'error_message', kind: 'patterns', key: 'messages' },
  { id: 'releases', reason: 'release_version', kind: 'patterns', key: 'releases' },
  { id: 'ip-addresses', reason: 'ip_address', kind: 'patterns', key: 'addresses' },
  { id: 'csp-disallowed-sources', reason: 'csp_source', kind: 'patterns', key: 'cspSources' },
] as const satisfies readonly KnownFilter[]
export type InboundFilter = (typeof inboundFilters)[number]
export type FilterReason = InboundFilter['reason']
