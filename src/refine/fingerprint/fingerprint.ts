import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { GroupingVariant, NormalEvent } from '../../domain/event.ts'
import type { GroupingRules } from '../../domain/grouping.ts'
import type { Draft } from '../pipeline/draft.ts'
import type { Grouped, Variant } from './grouped.ts'
import { type CompiledFingerprintRules, compileFingerprintRules } from './rules.ts'
import { type AnnotationsByStack, applyStackRules, type CompiledStackRules, compileStackRules } from './stack-rules.ts'
import { groupV1 } from './v1/group.ts'
import { groupV2 } from './v2/group.ts'
import { groupV3 } from './v3/group.ts'

/** The version of a project without a version or with one that this Mishap does not have. */
const firstVersion = 1
/** One version of grouping: a pure function of the event, the rules and the annotations of stack-trace rules. */
type Grouping = (event: NormalEvent, rules: CompiledFingerprintRules, annotations: AnnotationsByStack) => Grouped
/**
 * All versions, as listed in `groupingVersions`. A released version never changes: any change of a hashed value needs a
 * new folder and a new number.
 */
const versions: ReadonlyMap<number, Grouping> = new Map([
  [1, groupV1],
  [2, groupV2],
  [3, groupV3],
])

/** The MD5 of the concatenated values in UTF-8, without separators, as 32 hex digits. */
export function md5(values: readonly string[]): string {
  return hash('md5', values.join(''), 'hex')
}

/** Compiled rules by their text. Made by `createRuleCache`. They do not change any result. */
export type RuleCache = {
  stack: LRUCache<string, CompiledStackRules>
  fingerprint: LRUCache<string, CompiledFingerprintRules>
}
export const createRuleCache = (): RuleCache => ({
  stack: new LRUCache({ max: 200 }),
  fingerprint: new LRUCache({ max: 200 }),
})

const noStackRules: CompiledStackRules = Object.freeze([]) as never
const noFingerprintRules: CompiledFingerprintRules = Object.freeze([]) as never

function stackRulesOf(cache: RuleCache, text: string | undefined): CompiledStackRules {
  if (!text) return noStackRules
  const compiled = cache.stack.get(text) ?? compileStackRules(text)
  cache.stack.set(text, compiled)
  return compiled
}

function fingerprintRulesOf(cache: RuleCache, text: string | undefined): CompiledFingerprintRules {
  if (!text) return noFingerprintRules
  const compiled = cache.fingerprint.get(text) ?? compileFingerprintRules(text)
  cache.fingerprint.set(text, compiled)
  return compiled
}

/** The input of the grouping steps: the project's grouping settings and the compiled rules. */
export type GroupingContext = { settings: { grouping?: GroupingRules }; tools: { grouping: RuleCache } }

/** Step: applies the project's stack-trace rules. They change in_app and decide which frames group. */
export function stackRules(draft: Draft, { settings, tools }: GroupingContext): void {
  draft.stackAnnotations = applyStackRules(stackRulesOf(tools.grouping, settings.grouping?.stackRules), draft.event)
}

/** Groups an event after its stack-trace rules. During a change of version, also groups by the previous version. */
export function group(
  event: NormalEvent,
  config: GroupingRules | undefined,
  cache: RuleCache,
  annotations: AnnotationsByStack = new Map(),
): Grouped & { version: number; secondary: Variant[] } {
  const rules = fingerprintRulesOf(cache, config?.fingerprintRules)
  const version = config?.version !== undefined && versions.has(config.version) ? config.version : firstVersion
  const grouped = versions.get(version)?.(event, rules, annotations)
  if (!grouped) throw new Error(`there is no version ${version} of the grouping`)
  const before = config?.secondary === version ? undefined : versions.get(config?.secondary ?? 0)
  return { ...grouped, version, secondary: before?.(event, rules, annotations).variants ?? [] }
}

/** Fills `findings.grouping` with all variants. Variants that contribute have a hash. At least one contributes. */
export function fingerprint(
  { event, stackAnnotations: annotations }: Draft,
  { settings, tools }: GroupingContext,
): void {
  const { variants, secondary, version, rule, title } = group(event, settings.grouping, tools.grouping, annotations)
  event.findings.grouping = {
    version,
    variants: variants.map(stored),
    ...(rule ? { rule } : {}),
    ...(secondary.length > 0 ? { secondary: hashesIn(secondary) } : {}),
  }
  if (title) event.findings.title = title
}

/** Hashes of the contributing variants. */
export const hashesIn = (variants: readonly { contributes: boolean; hash?: string }[]): string[] =>
  variants.flatMap((variant) => (variant.contributes && variant.hash ? [variant.hash] : []))

/** The stored hashes of an event. The first one selects its issue. Never empty after `fingerprint`. */
export function hashesOf(event: NormalEvent): string[] {
  const { variants, secondary = [] } = event.findings.grouping
  return [...new Set([...hashesIn(variants), ...secondary])]
}

function stored({ name, contributes, why, values, hash: own }: Variant): GroupingVariant {
  // 40 values of 200 characters are enough to explain a grouping. The hash covers all values.
  const shown = values.slice(-40).map((value) => (value.length > 200 ? value.slice(0, 200).toWellFormed() : value))
  return { name, contributes, why, values: shown, ...(own ? { hash: own } : {}) }
}
