import { z } from 'zod'
import {
  type HydrationCause,
  hydrationCauses,
  invariantIds,
  type NoiseKind,
  noiseKinds,
  type SkewKind,
  skewKinds,
} from '../domain/diagnostics.ts'
import { textOrNull } from './scalars.ts'

const keysOf = <K extends string>(table: Readonly<Record<K, string>>) => z.enum(Object.keys(table) as [K, ...K[]])
export const skewKind = keysOf<SkewKind>(skewKinds)
const noiseKind = keysOf<NoiseKind>(noiseKinds)

/** The verdict on an issue as a whole. */
export const restNoise = z.strictObject({ kind: noiseKind, sentence: z.string() })

/** Diagnostics of one event with their sentences (docs/diagnostics.md). Null: not found. */
export const restDiagnostics = z
  .strictObject({
    /** The text of a minified React error. `message` is null for an unknown number. */
    react: z.strictObject({ code: z.int(), message: textOrNull }).nullable(),
    invariant: z
      .strictObject({ id: z.enum(invariantIds), name: z.string(), cause: z.string(), found: z.string() })
      .nullable(),
    /** An error that was only written to the console: by React for an error boundary, or by the application. */
    logged: z
      .strictObject({
        by: z.enum(['boundary', 'console']),
        type: textOrNull,
        value: textOrNull,
        component: textOrNull,
        boundary: textOrNull,
      })
      .nullable(),
    hydration: z
      .strictObject({
        cause: keysOf<HydrationCause>(hydrationCauses),
        sentence: z.string(),
        evidence: textOrNull,
        component: textOrNull,
        /** Differences between the renderings of server and browser. A missing side is null. */
        differences: z.array(
          z.strictObject({
            what: z.enum(['text', 'attribute', 'element', 'html']),
            /** Name of an attribute. */
            name: textOrNull,
            server: textOrNull,
            client: textOrNull,
          }),
        ),
      })
      .nullable(),
    skew: z.strictObject({ kind: skewKind, sentence: z.string(), found: z.string() }).nullable(),
    noise: z.strictObject({ kind: noiseKind, sentence: z.string(), found: z.string() }).nullable(),
  })
  .meta({ id: 'Signs' })
export type RestDiagnostics = z.infer<typeof restDiagnostics>
