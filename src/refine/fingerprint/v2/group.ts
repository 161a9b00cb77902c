import { hash } from 'node:crypto'
import type { NormalEvent } from '../../../domain/event.ts'
import { contributing, type GroupingHint, type GroupingNode } from '../../../domain/grouping.ts'
import type { Grouped, Variant } from '../grouped.ts'
import type { CompiledFingerprintRules } from '../rules.ts'
import type { AnnotationsByStack } from '../stack-rules.ts'
import { groupV1 } from '../v1/group.ts'
import { defaultVariants } from '../v1/variants.ts'
import { componentOf, routeOf } from './names.ts'

const leaf = (id: GroupingNode['id'], value: string, hint?: GroupingHint, contributes = true): GroupingNode => ({
  id,
  contributes,
  ...(hint ? { hint } : {}),
  values: [value],
})

type BuiltIn = { why: string; values: GroupingNode[] }

/** The built-in fingerprint of an event, if it is better than the stack. Each starts with a different word. */
function builtInOf(event: NormalEvent): BuiltIn | undefined {
  const { skew, hydration } = event.findings.signs ?? {}
  // A missing chunk can be the cause of a failed hydration, never its result.
  if (skew) return ofSkew(skew.kind, event.release)
  return hydration && hydration.cause !== 'unknown' ? ofHydration(event, hydration) : undefined
}

/** Errors of an old tab say nothing about the code, so all errors of one release are one issue. */
function ofSkew(kind: string, release: string | undefined): BuiltIn {
  const why = 'an old tab after a deploy: one issue for each release'
  if (!release) return { why, values: [leaf('entry', 'skew-kind'), leaf('skew', kind, 'no-release')] }
  const values = [
    leaf('entry', 'skew'),
    leaf('release', release, 'release-first'),
    leaf('skew', kind, 'any-skew', false),
  ]
  return { why, values }
}

/** By cause and component. The route replaces an unknown component. Without either: like version 1. */
function ofHydration(
  event: NormalEvent,
  { cause, component: named }: { cause: string; component?: string },
): BuiltIn | undefined {
  const why = 'hydration failed; one issue for each cause and component'
  const component = componentOf(named)
  if (component !== undefined) {
    const hint = component === named ? undefined : 'build-cut'
    const values = [leaf('entry', 'hydration'), leaf('cause', cause, 'one-cause'), leaf('component', component, hint)]
    return { why, values }
  }
  const route = routeOf(event)
  if (route === undefined) return undefined
  return {
    why,
    values: [leaf('entry', 'hydration-route'), leaf('cause', cause, 'one-cause'), leaf('route', route, 'no-component')],
  }
}

/** Variants that come from an explicit fingerprint. Built-in fingerprints do not replace them. */
const unchangedNames: ReadonlySet<Variant['name']> = new Set(['checksum', 'custom_fingerprint', 'hybrid'])

/**
 * Version 2: version 1 with other built-in fingerprints. Hydration errors group by cause and component, errors of old
 * tabs by release, both read from `findings.signs`. The hashed values of a diagnostic are frozen too: a diagnostic can
 * learn new texts, but must not reclassify known ones (group.test.ts has a table of them).
 */
export function groupV2(
  event: NormalEvent,
  rules: CompiledFingerprintRules,
  annotations: AnnotationsByStack,
  defaultOf: typeof defaultVariants = defaultVariants,
): Grouped {
  const first = groupV1(event, rules, annotations, defaultOf)
  const builtIn = first.variants.some((variant) => unchangedNames.has(variant.name)) ? undefined : builtInOf(event)
  if (!builtIn) return first
  const component: GroupingNode = { id: 'fingerprint', contributes: true, values: builtIn.values }
  const values = contributing(component)
  const own: Variant = {
    name: 'built_in_fingerprint',
    contributes: true,
    why: builtIn.why,
    component,
    values,
    hash: hash('md5', values.join(''), 'hex').slice(0, 16),
  }
  const others = first.variants.filter((variant) => variant.name !== 'built_in_fingerprint')
  return { ...first, variants: [own, ...others.map(excluded)] }
}

/** Marks a variant as left out in the same way as version 1. */
function excluded({ hash: _hash, ...variant }: Variant): Variant {
  if (!variant.contributes) return variant
  return { ...variant, contributes: false, why: 'a built-in fingerprint takes precedence', hint: 'fingerprint-first' }
}
