import { z } from 'zod'
import { ruleTextMax } from '../domain/alerts/rule-text.ts'
import { type DetectorId, detectorIds } from '../domain/detectors/detectors.ts'
import { metricSeries } from '../domain/metrics.ts'
import { eachSwitch } from '../domain/project-switches.ts'
import { groupingConfig } from './grouping.ts'
import { restOrganization } from './organizations.ts'
import { digits, revisionField, textOrNull, time } from './scalars.ts'

const team = z.strictObject({ id: z.string(), slug: z.string(), name: z.string() })
const listedProject = z.strictObject({
  id: digits,
  slug: z.string(),
  name: z.string(),
  platform: textOrNull,
  platforms: z.array(z.string()),
  dateCreated: time,
  /** Time of the first stored event, or null. */
  firstEvent: time.nullable(),
  isMember: z.boolean(),
  hasAccess: z.boolean(),
  features: z.array(z.string()),
  status: z.literal('active'),
  teams: z.array(team),
  team: team.nullable(),
  organization: restOrganization.exactOptional(),
  /** Ours: grows with each change. A change that names another revision is refused (409). */
  revision: z.int(),
})
export type RestProject = z.infer<typeof listedProject>

/** A value for each detector by its name (docs/detectors.md). */
const eachDetector = <Shape extends z.ZodType>(shape: Shape): Record<DetectorId, Shape> =>
  Object.fromEntries(detectorIds.map((id) => [id, shape])) as Record<DetectorId, Shape>

const settings = z.strictObject({
  options: z.strictObject({}),
  color: z.string(),
  isPublic: z.literal(false),
  resolveAge: z.literal(0),
  subjectTemplate: z.literal(''),
  digestsMinDelay: z.literal(0),
  digestsMaxDelay: z.literal(0),
  securityTokenHeader: z.null(),
  allowedDomains: z.array(z.string()),
  dataScrubber: z.boolean(),
  dataScrubberDefaults: z.boolean(),
  scrubIPAddresses: z.boolean(),
  sensitiveFields: z.array(z.string()),
  safeFields: z.array(z.string()),
  /** Ours: patterns of routes (docs/spans.md), and paths whose next part was learned to vary. */
  routePatterns: z.array(z.string()),
  learnedRoutes: z.array(z.string()),
  /** Ours: routes of Next.js applications, by the releases that they were uploaded with. Newest first. */
  uploadedRoutes: z.array(z.strictObject({ releases: z.array(z.string()), routes: z.array(z.string()) })),
  /** Ours: series of metrics that are stored in an hour (docs/metrics.md). */
  metricSeriesMax: z.int(),
  /** Ours: whether public scripts that nobody uploaded are fetched. */
  scrapeJavaScript: z.boolean(),
  verifySSL: z.boolean(),
  ...eachSwitch(() => z.boolean()),
  /** Ours: whether each detector of performance issues runs, and its thresholds. */
  detectors: z.strictObject(
    eachDetector(z.strictObject({ active: z.boolean(), thresholds: z.record(z.string(), z.int()) })),
  ),
  /** Shown as asterisks. */
  securityToken: z.string(),
  /** Grouping rules, '' for none. */
  fingerprintingRules: z.string(),
  groupingEnhancements: z.string(),
  /** The version used for grouping, and the previous one during a transition of the project. */
  groupingConfig: z.string(),
  secondaryGroupingConfig: textOrNull,
  secondaryGroupingExpiry: textOrNull,
})
const projectWithSettings = listedProject.extend(settings.shape)
/** A project with its settings: the body of PUT, and the answer for a single project. */
export type RestProjectSettings = z.infer<typeof projectWithSettings>

/** A project in a list or alone. Only a single project has all of its settings. */
export const restProject = listedProject.extend(settings.partial().shape).meta({ id: 'Project' })

/** GET projects/{org}/{project}/arrivals/: data of the screen that waits for the first event. */
export const restArrivals = z
  .strictObject({
    /** Time of the last request with a key of the project, or null. */
    connection: time.nullable(),
    firstEvent: time.nullable(),
    /** Items of the last hour by kind: stored, refused and not stored yet. */
    items: z.array(
      z.strictObject({
        itemType: z.string(),
        category: z.string(),
        outcome: z.string(),
        reason: z.string(),
        quantity: z.int(),
        sentence: z.string(),
      }),
    ),
    newestIssue: z.strictObject({ id: digits, shortId: z.string(), title: z.string() }).nullable(),
    /** Version of the newest release that an event or sentry-cli named, or null. */
    newestRelease: textOrNull,
    /** Whether frames of stored events are minified because their source map is missing. */
    missesMaps: z.boolean(),
  })
  .meta({ id: 'Arrivals' })
export type RestArrivals = z.infer<typeof restArrivals>

// ---- bodies

const slugText = z.string().regex(/^(?!\d+$)[a-z0-9-]{1,50}$/, '1 to 50 of a-z, 0-9 and -, not only digits.')
/** Name of a project or a key. */
export const nameText = z
  .string()
  .trim()
  .min(1, '1 to 64 characters.')
  .max(64, '1 to 64 characters.')
  .regex(/^\P{Cc}*$/u, 'No control characters.')
const platformText = z.string().regex(/^[a-z0-9.-]{1,64}$/, '1 to 64 of a-z, 0-9, . and -.')
// store/meta/projects/setting-lists.ts validates entries and their number, also for the screens
const entries = z.array(z.string().max(1000)).max(1000)

/** Body of a new project. */
export const newProjectBody = z.object({ name: nameText, slug: slugText.optional(), platform: platformText.nullish() })
export type NewProjectBody = z.output<typeof newProjectBody>

/** Body to change a project. */
export const projectChangeBody = z
  .object({
    name: nameText,
    slug: slugText,
    platform: platformText.nullable(),
    allowedOrigins: entries,
    allowedDomains: entries,
    dataScrubber: z.boolean(),
    dataScrubberDefaults: z.boolean(),
    scrubIPAddresses: z.boolean(),
    sensitiveFields: entries,
    safeFields: entries,
    routePatterns: entries,
    metricSeriesMax: z.int().min(metricSeries.min).max(metricSeries.max),
    scrapeJavaScript: z.boolean(),
    verifySSL: z.boolean(),
    ...eachSwitch(() => z.boolean()),
    detectors: z
      .strictObject(
        eachDetector(
          z.strictObject({ active: z.boolean(), thresholds: z.record(z.string().max(50), z.number()) }).partial(),
        ),
      )
      .partial()
      .describe('Detectors and thresholds that are left out stay as they are: docs/detectors.md.'),
    securityToken: z.string().max(1000),
    fingerprintingRules: z.string().max(ruleTextMax),
    groupingEnhancements: z.string().max(ruleTextMax),
    groupingConfig,
    revision: revisionField,
  })
  .partial()
export type ProjectChangeBody = z.output<typeof projectChangeBody>
