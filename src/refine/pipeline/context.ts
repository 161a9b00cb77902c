import { LRUCache } from 'lru-cache'
import type { ProjectFilters } from '../../domain/filters.ts'
import type { RouteRuleCache } from '../../domain/traces/routes.ts'
import type { RecordHead } from '../../journal/journal.ts'
import type { TableName } from '../../store/events/tables.ts'
import type { ProjectSettings } from '../../store/meta/meta.ts'
import type { Filter } from '../filter/rules.ts'
import { createRuleCache, type RuleCache } from '../fingerprint/fingerprint.ts'
import type { UserAgentDetails } from '../kinds/error/user-agent.ts'
import { createMetricBuffers, type MetricBuffers, type MetricMemory, openMetricMemory } from '../kinds/metric/memory.ts'
import type { Rules } from '../scrub/rules.ts'
import type { MapSource } from '../symbolicate/frames.ts'
import { createSegmentRoutes, type SegmentRoutes } from './shared-segments.ts'

/** Caches of a worker. They are bounded, and all but `segments` and `metrics` do not change any result. Made by `createTools`. */
export type Tools = {
  agents: LRUCache<string, UserAgentDetails>
  rules: LRUCache<string, Rules>
  rulesOf: WeakMap<ProjectSettings, Rules>
  filtersOf: WeakMap<ProjectFilters, Filter>
  /** Whether the data from a sender's user agent contains nothing to scrub. */
  plainAgents: LRUCache<string, boolean>
  /** The crawler that a user agent names, '' if none. */
  crawlers: LRUCache<string, string>
  /** Routes of recent segments, by project and span id, for their late spans. */
  segments: SegmentRoutes
  /** Series of the hour and the last values of cumulative streams, shared by all workers. */
  metrics: MetricMemory
  routeRules: RouteRuleCache
  /** Hashes of recent shapes and templates of log lines. A service has some hundred, and each line needs a hash. */
  shapes: LRUCache<string, string>
  /** Compiled grouping rules, by their text. */
  grouping: RuleCache
  /** Bytes of lines for a byte of records in the last large range, by table. It only sizes buffers. */
  lineBytes: Map<TableName, number>
}

/**
 * Makes the caches: 5,000 user agents (real traffic has some hundred at a time), 500 sets of scrubbing rules, and the
 * routes of recent segments.
 */
export function createTools(metrics: MetricBuffers = createMetricBuffers()): Tools {
  return {
    agents: new LRUCache({ max: 5000 }),
    rules: new LRUCache({ max: 500 }),
    rulesOf: new WeakMap(),
    filtersOf: new WeakMap(),
    plainAgents: new LRUCache({ max: 5000 }),
    crawlers: new LRUCache({ max: 5000 }),
    segments: createSegmentRoutes(),
    metrics: openMetricMemory(metrics),
    routeRules: new WeakMap(),
    // A shape has up to 2,048 characters: at most 20 MB.
    shapes: new LRUCache({ max: 5000 }),
    grouping: createRuleCache(),
    lineBytes: new Map(),
  }
}

/** The input of the steps besides the event. Ids are 32 lower-case hex digits. Times are in ms since 1970. */
export type Context = {
  head: RecordHead
  eventId: string
  /** From the envelope header; undefined if absent or unreadable. */
  sentMs: number | undefined
  settings: ProjectSettings
  tools: Tools
  /** Source maps of the project; undefined if it has none. */
  maps: MapSource | undefined
}
