import { z } from 'zod'
import {
  type HydrationCause,
  hydrationCauses,
  invariantIds,
  type NoiseKind,
  noiseKinds,
  type RestSigns,
  type SkewKind,
  skewKinds,
} from '../domain/diagnostics.ts'
import type { RestSkew } from './rest-skew.ts'

const textOrNull = z.string().nullable()
const keysOf = <K extends string>(table: Readonly<Record<K, string>>) => z.enum(Object.keys(table) as [K, ...K[]])

/** Skew after a deploy (docs/diagnostics.md). */
export const skew = z
  .strictObject({
    environment: textOrNull.describe('Null: no deploy was told, so it is since the release came up, everywhere.'),
    from: z.iso.datetime(),
    to: z.iso.datetime(),
    until: z.enum(['deploy', 'limit', 'now']).describe('The next release came, two days are over, or it is now.'),
    events: z.int(),
    people: z.strictObject({ all: z.int(), recovered: z.int(), stuck: z.int(), unknown: z.int() }),
    kinds: z.array(z.strictObject({ kind: keysOf<SkewKind>(skewKinds), sentence: z.string(), events: z.int() })),
    releases: z.array(z.strictObject({ release: z.string(), events: z.int() })),
    points: z.array(z.tuple([z.int(), z.int()])).describe('By ten minutes, over more than eight hours by the hour.'),
    lasts: z.boolean().nullable().describe('Whether it does not decay; null before half an hour is over.'),
    issues: z.array(
      z.strictObject({
        id: z.string(),
        shortId: z.string(),
        title: z.string(),
        project: z.string(),
        events: z.int(),
      }),
    ),
  })
  .meta({ id: 'Skew' }) satisfies z.ZodType<RestSkew>

/** The verdict on an issue as a whole. */
export const noiseVerdict = z.strictObject({ kind: keysOf<NoiseKind>(noiseKinds), sentence: z.string() })

/** What was recognized in an event (docs/diagnostics.md). */
export const signs = z
  .strictObject({
    react: z.strictObject({ code: z.int(), message: textOrNull }).nullable(),
    invariant: z
      .strictObject({ id: z.enum(invariantIds), name: z.string(), cause: z.string(), found: z.string() })
      .nullable(),
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
        differences: z.array(
          z.strictObject({
            what: z.enum(['text', 'attribute', 'element', 'html']),
            name: textOrNull,
            server: textOrNull,
            client: textOrNull,
          }),
        ),
      })
      .nullable(),
    skew: z.strictObject({ kind: keysOf<SkewKind>(skewKinds), sentence: z.string(), found: z.string() }).nullable(),
    noise: z.strictObject({ kind: keysOf<NoiseKind>(noiseKinds), sentence: z.string(), found: z.string() }).nullable(),
  })
  .meta({ id: 'Signs' }) satisfies z.ZodType<RestSigns>
