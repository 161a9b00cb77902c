import { z } from 'zod'
import { skewKind } from './diagnostics.ts'
import { restPoint } from './issues.ts'
import { textOrNull, time } from './scalars.ts'

/** GET organizations/{org}/releases/{version}/skew/: version skew after one deploy of a release (docs/diagnostics.md). */
export const restSkew = z
  .strictObject({
    environment: textOrNull.describe(
      'Null: no deploy was reported, so it starts with the first event of the release, in all environments.',
    ),
    from: time,
    to: time,
    until: z.enum(['deploy', 'limit', 'now']).describe('Start of the next release, the end of two days, or now.'),
    events: z.int(),
    /**
     * People identified by id, e-mail, name or address. `recovered`: they sent an event of the new release without skew
     * later, or any event without skew at least a minute later. `stuck`: they met skew again after a minute or more,
     * and sent nothing else since. `unknown`: everyone else.
     */
    people: z.strictObject({ all: z.int(), recovered: z.int(), stuck: z.int(), unknown: z.int() }),
    kinds: z.array(z.strictObject({ kind: skewKind, sentence: z.string(), events: z.int() })),
    /** Releases of the old tabs, most events first. '': none. */
    releases: z.array(z.strictObject({ release: z.string(), events: z.int() })),
    points: z.array(restPoint).describe('In steps of ten minutes, or of an hour above eight hours.'),
    /** Whether the last ten minutes have at least half of the average rate. */
    lasts: z.boolean().nullable().describe('Whether it does not decay. Null in the first half hour.'),
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
  .meta({ id: 'Skew' })
export type RestSkew = z.infer<typeof restSkew>
