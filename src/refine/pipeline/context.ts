import { LRUCache } from 'lru-cache'
import type { ProjectFilters } from '../../domain/filters.ts'
import type { RecordHead } from '../../journal/journal.ts'
import type { ProjectSettings } from '../../store/meta/meta.ts'
import type { Filter } from '../filter/rules.ts'
import { createRuleCache, type RuleCache } from '../fingerprint/fingerprint.ts'
import type { UserAgentFacts } from '../kinds/error/user-agent.ts'
import type { Rules } from '../scrub/rules.ts'
import type { MapSource } from '../symbolicate/frames.ts'

/** What a worker keeps between records; bounded, and no part of any result. Made by `createTools`. */
export type Tools = {
  agents: LRUCache<string, UserAgentFacts>
  rules: LRUCache<string, Rules>
  rulesOf: WeakMap<ProjectSettings, Rules>
  filtersOf: WeakMap<ProjectFilters, Filter>
  /** Whether what a sender's agent adds to an event can hold nothing to scrub. */
  plainAgents: LRUCache<string, boolean>
  /** The crawler that a user agent names, '' for none. */
  crawlers: LRUCache<string, string>
  /** Rules of grouping, by their text. */
  grouping: RuleCache
}

/** New caches: 5,000 user agents (real traffic has some hundred at a time), 500 sets of scrubbing rules. */
export function createTools(): Tools {
  return {
    agents: new LRUCache({ max: 5000 }),
    rules: new LRUCache({ max: 500 }),
    rulesOf: new WeakMap(),
    filtersOf: new WeakMap(),
    plainAgents: new LRUCache({ max: 5000 }),
    crawlers: new LRUCache({ max: 5000 }),
    grouping: createRuleCache(),
  }
}

/** What the steps know beside the event. Ids are 32 lower-case hex; times in ms since 1970. */
export type Context = {
  head: RecordHead
  eventId: string
  /** From the envelope's header; undefined when absent or unreadable. */
  sentMs: number | undefined
  settings: ProjectSettings
  tools: Tools
  /** Source maps of the project; undefined when it has none. */
  maps: MapSource | undefined
}
