import { z } from 'zod'
import type * as Rest from '../../contract/rest-release-health.ts'
import { release } from './release-schemas.ts'

const number = z.number().nullable()

/** Answer of the sessions of an organization. */
export const sessions = z
  .strictObject({
    start: z.iso.datetime(),
    end: z.iso.datetime(),
    query: z.string(),
    intervals: z.array(z.iso.datetime()).describe('Starts of the intervals, UTC.'),
    groups: z.array(
      z.strictObject({
        by: z.record(z.string(), z.union([z.string(), z.int()])),
        totals: z.record(z.string(), number),
        series: z.record(z.string(), z.array(number)),
      }),
    ),
  })
  .meta({ id: 'Sessions' }) satisfies z.ZodType<Rest.RestSessions>

const percent = number.describe('Percent; null: nothing was counted.')

const healthData = z
  .strictObject({
    hasHealthData: z.boolean(),
    adoption: percent,
    sessionsAdoption: percent,
    crashFreeUsers: percent,
    crashFreeSessions: percent,
    totalUsers: z.int(),
    totalSessions: z.int(),
    totalUsers24h: z.int(),
    totalSessions24h: z.int(),
    totalProjectUsers24h: z.int(),
    totalProjectSessions24h: z.int(),
    sessionsCrashed: z.int(),
    sessionsErrored: z.int(),
    durationP50: number.describe('Seconds.'),
    durationP90: number.describe('Seconds.'),
    stats: z.strictObject({ '24h': z.array(z.tuple([z.number(), z.number()])) }),
  })
  .meta({ id: 'ReleaseHealthData' }) satisfies z.ZodType<Rest.RestHealthData>

const project = release.shape.projects.element

/** A release whose projects have their health, where it was asked for. */
export const releaseWithHealth = release
  .extend({ projects: z.array(project.extend({ healthData: healthData.optional() })) })
  .meta({ id: 'ReleaseWithHealth' })

const share = z.strictObject({ share: z.number(), low: z.number(), high: z.number(), sample: z.int() }).nullable()

/** Ours: what the page of a release shows of its sessions. */
export const health = z
  .strictObject({
    own: z.strictObject({
      crashFreeSessions: share,
      crashFreeUsers: share,
      sessions: z.strictObject({
        all: z.int(),
        errored: z.int(),
        unhandled: z.int(),
        abnormal: z.int(),
        crashed: z.int(),
      }),
      adoption: z
        .strictObject({
          share: z.number(),
          sessions: z.int(),
          all: z.int(),
          stage: z.enum(['low', 'adopted', 'replaced']),
        })
        .nullable(),
    }) satisfies z.ZodType<Rest.RestHealth>,
    before: z.array(z.strictObject({ version: z.string(), crashFreeSessions: share })),
    change: (
      z.strictObject({
        previous: z.string(),
        own: share.unwrap(),
        before: share.unwrap(),
        by: z.number(),
        low: z.number(),
        high: z.number(),
        verdict: z.enum(['better', 'worse', 'same']),
        needed: z.int(),
      }) satisfies z.ZodType<Rest.RestHealthChange>
    ).nullable(),
  })
  .nullable()
  .meta({ id: 'ReleaseHealth' })
