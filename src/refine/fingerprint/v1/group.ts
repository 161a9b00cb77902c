import { hash } from 'node:crypto'
import type { NormalEvent, NormalFrame } from '../../../domain/event.ts'
import type { GroupingNode } from '../../../domain/grouping.ts'
import { crashFrame } from '../../kinds/error/describe.ts'
import { frozenMain } from '../chain.ts'
import type { Grouped, Variant } from '../grouped.ts'
import { type CompiledFingerprintRules, matchingRule } from '../rules.ts'
import type { AnnotationsByStack } from '../stack-rules.ts'
import { isDefault, resolveEntry } from './variables.ts'
import { defaultVariants, type UnhashedVariant, valuesOf } from './variants.ts'

const titleMax = 256

const hashOf = (values: readonly string[]): string => hash('md5', values.join(''), 'hex').slice(0, 16)

function finished(variant: UnhashedVariant, own?: string): Variant {
  const values = valuesOf(variant)
  return { ...variant, values, ...(variant.contributes ? { hash: own ?? hashOf(values) } : {}) }
}

const excluded = (variants: UnhashedVariant[], why: string): UnhashedVariant[] =>
  variants.map(
    (variant): UnhashedVariant =>
      variant.contributes ? { ...variant, contributes: false, why, hint: 'fingerprint-first' } : variant,
  )

const entriesNode = (values: readonly string[]): GroupingNode => ({
  id: 'fingerprint',
  contributes: true,
  values: values.map((value): GroupingNode => ({ id: 'entry', contributes: true, values: [value] })),
})

/**
 * Version 1: checksum, then project rules, the client's fingerprint, built-in fingerprints, and the default.
 * `defaultOf` makes the default; later versions pass their own.
 */
export function groupV1(
  event: NormalEvent,
  rules: CompiledFingerprintRules,
  annotations: AnnotationsByStack,
  defaultOf: typeof defaultVariants = defaultVariants,
): Grouped {
  if (event.checksum) {
    const sentHash = /^[0-9a-f]{32}$/i.test(event.checksum) ? event.checksum.toLowerCase().slice(0, 16) : undefined
    const component = entriesNode([event.checksum])
    return {
      variants: [
        finished({ name: 'checksum', contributes: true, why: 'checksum sent by the client', component }, sentHash),
      ],
    }
  }
  const defaults = defaultOf(event, annotations)
  const rule = matchingRule(rules, event)
  const entries = rule?.fingerprint ?? event.fingerprint ?? []
  if (!entries.length || entries.every(isDefault)) return { ...byDefault(event, defaults), ...ruleDetails(event, rule) }
  const source = rule ? 'fingerprint of a rule' : 'fingerprint sent by the client'
  const crash = crashOf(event)
  const resolve = (entry: string) => resolveEntry(entry, event, crash)
  if (!entries.some(isDefault)) {
    const component = entriesNode(entries.map(resolve))
    const custom: UnhashedVariant = { name: 'custom_fingerprint', contributes: true, why: source, component }
    return {
      variants: [custom, ...excluded(defaults, `the ${source} takes precedence`)].map((entry) => finished(entry)),
      ...ruleDetails(event, rule),
    }
  }
  const variants = defaults.map((variant): UnhashedVariant => {
    if (!variant.contributes) return variant
    const salted = entries.map(
      (entry): GroupingNode =>
        isDefault(entry) ? variant.component : { id: 'entry', contributes: true, values: [resolve(entry)] },
    )
    const why = `${source} with ${variant.name}: ${variant.why}`
    return {
      name: 'hybrid',
      contributes: true,
      why,
      component: { id: 'fingerprint', contributes: true, values: salted },
    }
  })
  return { variants: variants.map((variant) => finished(variant)), ...ruleDetails(event, rule) }
}

function ruleDetails(
  event: NormalEvent,
  rule: { text: string; title?: string } | undefined,
): Pick<Grouped, 'rule' | 'title'> {
  if (!rule) return {}
  const title = rule.title === undefined ? undefined : resolveEntry(rule.title, event, crashOf(event)).trim()
  return { rule: rule.text, ...(title ? { title: title.slice(0, titleMax).toWellFormed() } : {}) }
}

function byDefault(event: NormalEvent, defaults: UnhashedVariant[]): Pick<Grouped, 'variants'> {
  const builtIn = builtInFingerprint(event)
  if (!builtIn) return { variants: defaults.map((entry) => finished(entry)) }
  const { why, values } = builtIn
  const own: UnhashedVariant = { name: 'built_in_fingerprint', contributes: true, why, component: entriesNode(values) }
  const all = [own, ...excluded(defaults, 'a built-in fingerprint takes precedence')]
  return { variants: all.map((entry) => finished(entry)) }
}

function crashOf(event: NormalEvent): NormalFrame | undefined {
  const main = frozenMain(event)
  const thread =
    event.threads?.values.find((entry) => entry.crashed) ?? event.threads?.values.find((entry) => entry.current)
  return crashFrame(main?.stacktrace ?? thread?.stacktrace ?? event.stacktrace)
}

const hydrationTexts = [
  'Hydration failed because the initial UI does not match what was rendered on the server.',
  'Text content does not match server-rendered HTML.',
  'There was an error while hydrating this Suspense boundary.',
  'There was an error while hydrating. Because the error happened outside of a Suspense boundary',
  'The server could not finish this Suspense boundary',
]

/** JavaScript errors whose stacks do not show their cause. */
function builtInFingerprint(event: NormalEvent): { why: string; values: string[] } | undefined {
  if (event.platform !== 'javascript' && event.platform !== 'node') return undefined
  const list = event.exception?.values ?? []
  if (list.some((entry) => entry.type === 'ChunkLoadError' || entry.value?.startsWith('ChunkLoadError')))
    return { why: 'a chunk of the application could not be loaded', values: ['chunkloaderror'] }
  const transaction = event.transaction ?? event.tags.find(([key]) => key === 'transaction')?.[1]
  if (transaction && list.some((entry) => hydrationTexts.some((text) => entry.value?.includes(text))))
    return { why: 'hydration failed; one issue for each transaction', values: ['hydrationerror', transaction] }
  return undefined
}
