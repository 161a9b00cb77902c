import { LRUCache } from 'lru-cache'
import type { NormalEvent } from '../../domain/event.ts'
import type { ProjectFilters } from '../../domain/filters.ts'
import type { RecordHead } from '../../journal/journal.ts'
import type { ProjectSettings } from '../../store/meta/meta.ts'
import { signs } from '../diagnostics/diagnostics.ts'
import type { Filter } from '../filter/rules.ts'
import { createRuleCache, fingerprint, type RuleCache, stackRules } from '../fingerprint/fingerprint.ts'
import type { Marks } from '../fingerprint/stack-rules.ts'
import { trimFunctions } from '../fingerprint/trim.ts'
import { describe } from '../kinds/error/describe.ts'
import { digest } from '../kinds/error/digest.ts'
import { inApp } from '../kinds/error/inapp.ts'
import { normalize } from '../kinds/error/normalize.ts'
import { userAddress } from '../kinds/error/user.ts'
import type { UserAgentFacts } from '../kinds/error/user-agent.ts'
import { userAgent } from '../kinds/error/user-agent.ts'
import type { Rules } from '../scrub/rules.ts'
import { scrub } from '../scrub/scrub.ts'
import type { MapSource } from '../symbolicate/frames.ts'
import { symbolicate } from '../symbolicate/symbolicate.ts'
import type { Loose, Remarks, Sent } from './value.ts'

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

/**
 * One event on its way: what was sent (scrubbed in place at its step), what it became, what there is to remark. `sent`: the
 * payload whose JSON `received` is; the scrubber takes it away when `received` no longer is that. `marks`: what stack-trace
 * rules said about the frames.
 */
export type Draft = { received: Loose; event: NormalEvent; remarks: Remarks; sent?: Sent | undefined; marks?: Marks }

/** One step; it changes the draft that it is given. */
export type Step = { name: string; run: (draft: Draft, context: Context) => void }

/** Steps before the project's filters, which look at what was sent: mapping what is dropped would cost the most. */
export const firstSteps: readonly Step[] = [
  { name: 'normalize', run: normalize }, // loose shapes to one, each value within its limit
  { name: 'userAddress', run: userAddress },
  { name: 'userAgent', run: userAgent },
]

/** Steps of an event that is dropped and kept to look at. */
export const droppedSteps: readonly Step[] = [
  { name: 'scrub', run: scrub },
  { name: 'describe', run: describe },
]

/** Every step of an event item, in order. The list is the whole way of an event between its parsed JSON and its row. */
export const eventSteps: readonly Step[] = [
  ...firstSteps,
  { name: 'scrub', run: scrub }, // both forms, before anything is derived from them
  { name: 'symbolicate', run: symbolicate }, // original places, before anything is decided or derived by them
  { name: 'trimFunctions', run: trimFunctions },
  { name: 'inApp', run: inApp },
  { name: 'stackRules', run: stackRules }, // before anything is derived from in_app
  { name: 'describe', run: describe }, // title, culprit, metadata
  { name: 'digest', run: digest },
  { name: 'signs', run: signs }, // what it is, from mapped frames and scrubbed texts
  { name: 'fingerprint', run: fingerprint },
]
