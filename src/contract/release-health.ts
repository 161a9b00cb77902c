import { z } from 'zod'
import { adoptionStages } from '../domain/adoption-stages.ts'
import { restRelease } from './releases.ts'

/** Shapes of release health: sessions of releases. Rates are 0 to 1; null if nothing was counted. */

const number = z.number().nullable()

/** A share with its 95% confidence interval and its sample size. */
export const restShare = z.strictObject({ share: z.number(), low: z.number(), high: z.number(), sample: z.int() })
export type RestShare = z.infer<typeof restShare>

/** GET organizations/{org}/sessions/ */
export const restSessions = z
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
  .meta({ id: 'Sessions' })
export type RestSessions = z.infer<typeof restSessions>

const percent = number.describe('Percent; null: nothing was counted.')

/** Health of a release in one project with `health=1`. Fields with 24h cover the last 24 hours. */
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
    stats: z.strictObject({
      '24h': z.array(z.tuple([z.number(), z.number()])).describe('Sessions of each hour: seconds, sessions.'),
    }),
  })
  .meta({ id: 'ReleaseHealthData' })
export type RestHealthData = z.infer<typeof healthData>

const project = restRelease.shape.projects.element

/** A release whose projects have their health data if requested. */
export const restReleaseWithHealth = restRelease
  .extend({ projects: z.array(project.extend({ healthData: healthData.optional() })) })
  .meta({ id: 'ReleaseWithHealth' })
export type RestReleaseWithHealth = z.infer<typeof restReleaseWithHealth>

/** Ours: the health of one release over a range. */
export const releaseHealthPart = z.strictObject({
  crashFreeSessions: restShare.nullable(),
  crashFreeUsers: restShare.nullable(),
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
      stage: z.enum(adoptionStages),
    })
    .nullable()
    .describe('Its share of its projects’ sessions in the last 24 hours.'),
})
export type RestHealth = z.infer<typeof releaseHealthPart>

export const healthChange = z.strictObject({
  previous: z.string().describe('The version before it that has sessions.'),
  own: restShare.describe('Of its first sessions, as many as the previous release has.'),
  before: restShare,
  by: z.number().describe('own less before, with its interval of 95%.'),
  low: z.number(),
  high: z.number(),
  verdict: z.enum(['better', 'worse', 'same']),
  needed: z.int().describe('Verdict same: the approximate number of sessions that would show a difference, else 0.'),
})
/** Ours: difference of crash-free sessions from the previous release, at equal adoption. */
export type RestHealthChange = z.infer<typeof healthChange>

/** Ours: session data of the release page. Null: no sessions. */
export const restReleaseHealth = z
  .strictObject({
    own: releaseHealthPart,
    before: z.array(z.strictObject({ version: z.string(), crashFreeSessions: restShare })),
    change: healthChange.nullable(),
  })
  .nullable()
  .meta({ id: 'ReleaseHealth' })
