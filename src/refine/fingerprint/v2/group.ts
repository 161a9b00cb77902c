import { hash } from 'node:crypto'
import type { NormalEvent } from '../../../domain/event.ts'
import { contributing, type GroupingHint, type GroupingNode } from '../../../domain/grouping.ts'
import type { Grouped, Variant } from '../grouped.ts'
import type { CompiledFingerprintRules } from '../rules.ts'
import type { Marks } from '../stack-rules.ts'
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

/** What names an event that came without a fingerprint better than its stack does. Each begins with a word of its own. */
function builtInOf(event: NormalEvent): BuiltIn | undefined {
  const { skew, hydration } = event.findings.signs ?? {}
  // a chunk that is gone may be why hydrating failed, never the other way round
  if (skew) return ofSkew(skew.kind, event.release)
  return hydration && hydration.cause !== 'unknown' ? ofHydration(event, hydration) : undefined
}

/** What an old tab runs into says nothing about code: all of one release is one issue. */
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

/** By cause and component; the route stands for a component that nobody named. Without either: as in version 1. */
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

/** Names of variants that a fingerprint made; the default grouping gives way to it. */
const given: ReadonlySet<Variant['name']> = new Set(['checksum', 'custom_fingerprint', 'hybrid'])

/**
 * Version 2: version 1, with other built-in fingerprints: hydration errors by cause and component, what old tabs run into
 * by release. It reads both from `findings.signs`. What it hashes of a sign is frozen with it, so a sign may learn texts
 * that it did not know, and never calls one that it knows something else (group.test.ts holds a table of them).
 */
export function groupV2(
  event: NormalEvent,
  rules: CompiledFingerprintRules,
  marks: Marks,
  defaultOf: typeof defaultVariants = defaultVariants,
): Grouped {
  const first = groupV1(event, rules, marks, defaultOf)
  const builtIn = first.variants.some((variant) => given.has(variant.name)) ? undefined : builtInOf(event)
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
  return { ...first, variants: [own, ...others.map(leftOut)] }
}

/** As version 1 leaves them out. */
function leftOut({ hash: _hash, ...variant }: Variant): Variant {
  if (!variant.contributes) return variant
  return { ...variant, contributes: false, why: 'a built-in fingerprint takes precedence', hint: 'fingerprint-first' }
}
