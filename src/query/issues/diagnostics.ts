import type { RestDiagnostics } from '../../contract/diagnostics.ts'
import { type Diagnostics, hydrationCauses, invariants, noiseKinds, skewKinds } from '../../domain/diagnostics.ts'

/** Converts the diagnostics of an event to the API's shape, with their sentences; null for an event without any. */
export function toRestDiagnostics(diagnostics: Diagnostics | undefined): RestDiagnostics | null {
  if (!diagnostics) return null
  const { react, invariant, logged, hydration, skew, noise } = diagnostics
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

const toRestHydration = (
  hydration: NonNullable<Diagnostics['hydration']>,
): NonNullable<RestDiagnostics['hydration']> => ({
  cause: hydration.cause,
  sentence: hydrationCauses[hydration.cause],
  evidence: hydration.evidence ?? null,
  component: hydration.component ?? null,
  differences: hydration.differences.map(({ what, name, server, client }) => ({
    what,
    name: name ?? null,
    server: server ?? null,
    client: client ?? null,
  })),
})
