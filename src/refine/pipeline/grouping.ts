import type { NormalEvent } from '../../domain/event.ts'
import type { ExplainedVariant, Features, GroupingInfo, GroupingRules, Likeness } from '../../domain/grouping.ts'
import { createRuleCache, group, hashesIn, type RuleCache } from '../fingerprint/fingerprint.ts'
import type { Variant } from '../fingerprint/grouped.ts'
import { featuresOf, likeness } from '../fingerprint/likeness.ts'
import { applyStackRules, compileStackRules, withoutStackRules } from '../fingerprint/stack-rules.ts'

/** Grouping of stored events by any rules: the functions that refine groups by. */
export type GroupingPreview = {
  /** Explains how an event is grouped by these rules; the event stays as it is. Pure. */
  explain(event: NormalEvent, config: GroupingRules | undefined): GroupingInfo
  /** What is compared of an event. */
  featuresOf(event: NormalEvent): Features
  /** How alike two events are, 0 to 1: by their stacks and by what they say. */
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

/** The event as its stack-trace rules are given it: in_app as it was before any rule. */
function explain(cache: RuleCache, sent: NormalEvent, config: GroupingRules | undefined): GroupingInfo {
  const event = structuredClone(sent)
  withoutStackRules(event)
  const text = config?.stackRules
  const rules = text ? (cache.stack.get(text) ?? compileStackRules(text)) : []
  if (text) cache.stack.set(text, rules)
  const marks = applyStackRules(rules, event)
  const { variants, secondary, rule, title, version } = group(event, config, cache, marks)
  return {
    version,
    // Those of the version before find the issue, too, while a project changes over.
    hashes: [...new Set([...hashesIn(variants), ...hashesIn(secondary)])],
    ...(rule ? { rule } : {}),
    ...(title ? { title } : {}),
    variants: variants.map(toVariant),
  }
}

/** Makes the desk; rules that were used stay ready. */
export function createGroupingPreview(cache: RuleCache = createRuleCache()): GroupingPreview {
  return {
    explain: (event, config) => explain(cache, event, config),
    featuresOf: (event) => featuresOf(explain(cache, event, undefined).variants),
    likeness,
  }
}
