import { z } from 'zod'
import { ruleTextMax } from '../domain/alerts/rule-text.ts'
import { detectorIds } from '../domain/detectors/detectors.ts'
import type { noFilters } from '../domain/filters.ts'
import { metricSeries } from '../domain/metrics.ts'
import { eachSwitch } from '../domain/project-switches.ts'
import { spanFault } from '../domain/time-ranges.ts'
import { viewScopes } from '../domain/view-scopes.ts'
import { escalationStep, namelessAction, newAlertRuleBody, trackerOptions } from './alerts/alerts.ts'
import { newOnCallScheduleBody } from './alerts/incidents.ts'
import { fileCodeMapping } from './alerts/trackers.ts'
import { newDashboardBody } from './explore/dashboards.ts'
import { restPlan } from './explore/explore.ts'
import { nameText } from './projects.ts'
import { viewColumns, viewFacets } from './search.ts'

/** The files of `mishap export`, `mishap plan` and `mishap apply` (docs/config-as-code.md). */

const names = z.array(z.string().max(1000)).max(1000)
/** The name of a shared view or query. Spaces around it are no part of it. */
const sharedName = z
  .string()
  .trim()
  .min(1, 'A name of 1 to 64 characters.')
  .max(64, 'A name of 1 to 64 characters. Shorten it.')
  .regex(/^\P{Cc}*$/u, 'A name without control characters, such as tabs and line breaks.')
const period = z.string().superRefine((text, context) => {
  const message = spanFault(text)
  if (message !== undefined) context.addIssue({ code: 'custom', message })
})
const slug = z.string().regex(/^(?!\d+$)[a-z0-9-]{1,50}$/, 'The slug of a project.')

/** projects/SLUG.yaml. Fields and sections that are left out stay as they are. Tokens and keys are in no file. */
export const projectFile = z.strictObject({
  project: slug,
  name: nameText.optional(),
  platform: z.string().max(64).nullable().optional(),
  settings: z
    .strictObject({
      allowedDomains: names,
      dataScrubber: z.boolean(),
      dataScrubberDefaults: z.boolean(),
      scrubIPAddresses: z.boolean(),
      sensitiveFields: names,
      safeFields: names,
      routePatterns: names,
      scrapeJavaScript: z.boolean(),
      verifySSL: z.boolean(),
      metricSeriesMax: z.int().min(metricSeries.min).max(metricSeries.max),
      ...eachSwitch(() => z.boolean()),
    })
    .partial()
    .optional(),
  detectors: z
    .partialRecord(
      z.enum(detectorIds),
      z.strictObject({ active: z.boolean(), thresholds: z.record(z.string(), z.number()) }).partial(),
    )
    .optional(),
  filters: z
    .strictObject({
      extensions: z.boolean(),
      localhost: z.boolean(),
      crawlers: z.boolean(),
      hydration: z.boolean(),
      chunkLoad: z.boolean(),
      browsers: names,
      messages: names,
      releases: names,
      addresses: names,
      cspSources: names,
    } satisfies Record<keyof typeof noFilters, z.ZodType>)
    .partial()
    .optional(),
  grouping: z
    .strictObject({
      fingerprintingRules: z.string().max(ruleTextMax),
      groupingEnhancements: z.string().max(ruleTextMax),
    })
    .partial()
    .optional(),
  ownership: z
    .strictObject({ rules: z.string().max(ruleTextMax), autoAssignment: z.boolean() })
    .partial()
    .optional(),
  codeMappings: z
    .array(fileCodeMapping)
    .max(1000)
    .refine((list) => new Set(list.map(({ stackRoot }) => stackRoot)).size === list.length, 'A stack root twice.')
    .optional(),
})
export type ProjectFile = z.output<typeof projectFile>

/** dashboards/NAME.yaml: one shared dashboard. Its title identifies it. */
export const dashboardFile = newDashboardBody
  .omit({ duplicate: true, visibility: true, permissions: true, start: true, end: true, utc: true, projects: true })
  .extend({
    title: z
      .string()
      .trim()
      .min(1, 'A title of 1 to 120 characters.')
      .max(120, 'A title of 1 to 120 characters. Shorten it.')
      .regex(/^\P{Cc}*$/u, 'A title without control characters, such as tabs and line breaks.'),
    period: period
      .refine((text) => !text.includes('/'), 'A length such as 24h: a dashboard keeps no dates.')
      .nullable()
      .default(null),
    projects: z.array(slug).max(100).default([]),
  })
export type DashboardFile = z.output<typeof dashboardFile>

/** views.yaml: the shared saved views. List and name identify them. */
export const viewsFile = z.strictObject({
  views: z.array(
    z.strictObject({
      scope: z.enum(viewScopes),
      name: sharedName,
      query: z.string().max(4096).default(''),
      sort: z.string().max(20).default(''),
      projects: z.array(slug).max(100).default([]),
      environments: z.array(z.string().max(64)).max(100).default([]),
      columns: viewColumns.default([]),
      facets: viewFacets.default([]),
      period: period.default('').describe('A length such as 14d, two dates with / between them, or empty.'),
    }),
  ),
})
export type ViewFile = z.output<typeof viewsFile>['views'][number]

/** queries.yaml: the shared saved queries of Explore. Their names identify them. */
export const queriesFile = z.strictObject({
  queries: z.array(
    z.strictObject({
      name: sharedName,
      projects: z.array(slug).max(100).default([]),
      environments: z.array(z.string().max(64)).max(100).default([]),
      period: period.default(''),
      plan: restPlan,
    }),
  ),
})
export type QueryFile = z.output<typeof queriesFile>['queries'][number]

/** notifications.yaml: where channels send. Their addresses are secrets, so files only change channels that exist. */
export const channelsFile = z.strictObject({
  channels: z.array(
    z.strictObject({
      name: z.string().max(300),
      project: slug.nullable().default(null).describe('Null: all projects.'),
      active: z.boolean().default(true),
    }),
  ),
})
export type ChannelFile = z.output<typeof channelsFile>['channels'][number]

/** People are known by their mail address, which the store keeps in small letters. */
const mail = z.string().trim().toLowerCase().min(1).max(320).describe('Mail address of a member.')
const named = z.string().min(1).max(300)

/** An action of a rule. Files have names where the API has ids. */
const fileAction = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('channel'), channel: named.describe('Name of a channel.') }),
  z.strictObject({ type: z.literal('person'), person: mail }),
  namelessAction,
  z.strictObject({ type: z.literal('on_call'), schedule: named.describe('Name of an on-call schedule.') }),
  z.strictObject({
    type: z.literal('tracker'),
    integration: named.describe('Name of the connection.'),
    repository: named.describe('Repository, project or team of the connection.'),
    options: trackerOptions,
  }),
])
export type FileAction = z.output<typeof fileAction>

/**
 * alerts/NAME.yaml: one alert rule. Its name identifies it. Fields are those of a new rule, so whatever rules learn is in
 * files, too. Muting is no field: it is an act with an end.
 */
export const alertFile = z.strictObject({
  ...newAlertRuleBody.shape,
  projects: z.array(slug).max(200).default([]),
  owner: mail.nullable().default(null),
  actions: z.array(fileAction).max(20).default([]),
  escalation: z
    .array(escalationStep.extend({ schedule: named }))
    .max(10)
    .default([]),
  unevaluable: z
    .array(z.string().max(1000))
    .max(100)
    .default([])
    .describe('Conditions that Mishap keeps and cannot evaluate.'),
  original: z.unknown().optional().describe('The rule as another shape of the API sent it.'),
})
export type AlertFile = z.output<typeof alertFile>

/** on-call.yaml: the on-call schedules. Overrides are acts of people and in no file. */
export const schedulesFile = z.strictObject({
  schedules: z.array(
    z.strictObject({
      ...newOnCallScheduleBody.shape,
      startDate: newOnCallScheduleBody.shape.startDate.unwrap(),
      members: z.array(mail).max(50),
    }),
  ),
})
export type ScheduleFile = z.output<typeof schedulesFile>['schedules'][number]

/** One thing that files describe. `key` identifies it among all. */
export type ConfigItem =
  | { key: string; kind: 'project'; file: string; value: ProjectFile }
  | { key: string; kind: 'dashboard'; file: string; value: DashboardFile }
  | { key: string; kind: 'view'; file: string; value: ViewFile }
  | { key: string; kind: 'query'; file: string; value: QueryFile }
  | { key: string; kind: 'channel'; file: string; value: ChannelFile }
  | { key: string; kind: 'alert'; file: string; value: AlertFile }
  | { key: string; kind: 'schedule'; file: string; value: ScheduleFile }
