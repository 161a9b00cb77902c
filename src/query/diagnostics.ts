import type { RestSigns } from '../contract/diagnostics.ts'
import { hydrationCauses, invariants, noiseKinds, type Signs, skewKinds } from '../domain/diagnostics.ts'

/** Converts the diagnostics of an event to the API's shape, with their sentences; null for an event without any. */
export function toRestSigns(signs: Signs | undefined): RestSigns | null {
  if (!signs) return null
  const { react, invariant, logged, hydration, skew, noise } = signs
  return {
    react: react ? { code: react.code, message: react.message ?? null } : null,
    invariant: invariant ? { id: invariant.id, ...invariants[invariant.id], found: invariant.found } : null,
    logged: logged
      ? {
          by: logged.by,
          type: logged.type ?? null,
          value: logged.value ?? null,
          component: logged.component ?? null,
          boundary: logged.boundary ?? null,
        }
      : null,
    hydration: hydration ? toRestHydration(hydration) : null,
    skew: skew ? { kind: skew.kind, sentence: skewKinds[skew.kind], found: skew.found } : null,
    noise: noise ? { kind: noise.kind, sentence: noiseKinds[noise.kind], found: noise.found } : null,
  }
}

const toRestHydration = (item: NonNullable<Signs['hydration']>): NonNullable<RestSigns['hydration']> => ({
  cause: item.cause,
  sentence: hydrationCauses[item.cause],
  evidence: item.evidence ?? null,
  component: item.component ?? null,
  differences: item.differences.map(({ what, name, server, client }) => ({
    what,
    name: name ?? null,
    server: server ?? null,
    client: client ?? null,
  })),
})
