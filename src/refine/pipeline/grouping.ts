import type { NormalEvent } from '../../domain/event.ts'
import type { ExplainedVariant, Features, GroupingInfo, GroupingRules, Likeness } from '../../domain/grouping.ts'
import { createRuleCache, group, hashesIn, type RuleCache } from '../fingerprint/fingerprint.ts'
import type { Variant } from '../fingerprint/grouped.ts'
import { featuresOf, likeness } from '../fingerprint/likeness.ts'
import { applyStackRules, compileStackRules, withoutStackRules } from '../fingerprint/stack-rules.ts'

/** Previews the grouping of stored events by any rules. It uses the functions of the pipeline. */
export type GroupingPreview = {
  /** Explains how these rules group an event. Pure: does not change the event. */
  explain(event: NormalEvent, config: GroupingRules | undefined): GroupingInfo
  /** Returns the features of an event for `likeness`. */
  featuresOf(event: NormalEvent): Features
  /** Compares two events: similarity of 0 to 1, by stack and by message. */
  likeness(a: Features, b: Features): Likeness
}

const toVariant = ({ name, contributes, hint, hash, why, component }: Variant): ExplainedVariant => ({
  name,
  contributes,
  why,
  component,
  ...(hint ? { hint } : {}),
  ...(hash ? { hash } : {}),
})

/** Runs the rules on a copy whose in_app values are those from before any stack-trace rule. */
function explain(cache: RuleCache, sent: NormalEvent, config: GroupingRules | undefined): GroupingInfo {
  const event = structuredClone(sent)
  withoutStackRules(event)
  const text = config?.stackRules
  const rules = text ? (cache.stack.get(text) ?? compileStackRules(text)) : []
  if (text) cache.stack.set(text, rules)
  const annotations = applyStackRules(rules, event)
  const { variants, secondary, rule, title, version } = group(event, config, cache, annotations)
  return {
    version,
    // During a change of version, the hashes of the previous version find the issue, too.
    hashes: [...new Set([...hashesIn(variants), ...hashesIn(secondary)])],
    ...(rule ? { rule } : {}),
    ...(title ? { title } : {}),
    variants: variants.map(toVariant),
  }
}

/** Makes the preview. Compiled rules stay in the cache. */
export function createGroupingPreview(cache: RuleCache = createRuleCache()): GroupingPreview {
  return {
    explain: (event, config) => explain(cache, event, config),
    featuresOf: (event) => featuresOf(explain(cache, event, undefined).variants),
    likeness,
  }
}
