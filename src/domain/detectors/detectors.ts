/** What a number of a detector counts. Times are milliseconds, sizes are bytes. */
type ThresholdUnit = 'times' | 'ms'

/** A number that a project can change. */
export type Threshold = { name: string; unit: ThresholdUnit; default: number; min: number; max: number }

/** A detector of performance issues (docs/detectors.md). */
type Detector = {
  /** Its name in REST and in the stored settings. */
  id: string
  /** The `issueType` of its issues. The issue is stored under this kind. */
  issueType: string
  thresholds: readonly Threshold[]
}

const ms = (name: string, value: number, min: number, max: number): Threshold => ({
  name,
  unit: 'ms',
  default: value,
  min,
  max,
})

/**
 * All detectors. The defaults gave no false alarm for the recorded near-misses (docs/detectors.md). Lower values find
 * more that nobody would change.
 */
export const detectors = [
  {
    id: 'nPlusOneQueries',
    issueType: 'performance_n_plus_one_db_queries',
    thresholds: [{ name: 'countMin', unit: 'times', default: 5, min: 3, max: 1000 }, ms('totalMs', 50, 1, 600_000)],
  },
  {
    id: 'slowQueries',
    issueType: 'performance_slow_db_query',
    thresholds: [ms('durationMs', 500, 10, 600_000)],
  },
  {
    id: 'consecutiveRequests',
    issueType: 'performance_consecutive_http',
    thresholds: [
      { name: 'countMin', unit: 'times', default: 3, min: 2, max: 1000 },
      ms('durationMs', 500, 10, 600_000),
    ],
  },
  {
    id: 'renderBlockingAssets',
    issueType: 'performance_render_blocking_asset_span',
    thresholds: [ms('durationMs', 500, 10, 600_000), ms('paintMs', 2000, 100, 600_000)],
  },
] as const satisfies readonly Detector[]

type AnyDetector = (typeof detectors)[number]
export type DetectorId = AnyDetector['id']
export type PerformanceIssueType = AnyDetector['issueType']

/** Whether a detector runs, and its thresholds by name. */
type DetectorSettings = { active: boolean; thresholds: Record<string, number> }
export type ProjectDetectors = Record<DetectorId, DetectorSettings>

export const detectorIds: readonly DetectorId[] = detectors.map(({ id }) => id)
export const performanceIssueTypes: readonly PerformanceIssueType[] = detectors.map(({ issueType }) => issueType)

/** Whether a kind of issue is one of the detectors'. */
export const isPerformanceKind = (kind: string): kind is PerformanceIssueType =>
  (performanceIssueTypes as readonly string[]).includes(kind)

/** The issue type of a detector. */
export const issueTypeOf = (id: DetectorId): PerformanceIssueType =>
  detectors.find((detector) => detector.id === id)?.issueType ?? 'performance_slow_db_query'

/** The first part of the title of its issues. */
export const detectorTitles: Readonly<Record<PerformanceIssueType, string>> = {
  performance_n_plus_one_db_queries: 'N+1 query',
  performance_slow_db_query: 'Slow query',
  performance_consecutive_http: 'Consecutive requests',
  performance_render_blocking_asset_span: 'Render-blocking asset',
}

/** A change of settings: detectors and thresholds that it leaves out stay as they are. */
export type DetectorChange = {
  [Id in DetectorId]?: { active?: boolean | undefined; thresholds?: Record<string, number> | undefined } | undefined
}

/** The settings that a project stores (JSON), with the defaults for what it does not. */
export function readDetectors(json: string): ProjectDetectors {
  const stored = JSON.parse(json) as DetectorChange
  return Object.fromEntries(
    detectors.map(({ id, thresholds }): [DetectorId, DetectorSettings] => {
      const { active = true, thresholds: own = {} } = stored[id] ?? {}
      const values = thresholds.map(({ name, default: value }) => [name, own[name] ?? value])
      return [id, { active, thresholds: Object.fromEntries(values) }]
    }),
  ) as ProjectDetectors
}

/** The settings of a project that changed nothing. */
export const defaultDetectors: ProjectDetectors = readDetectors('{}')

/** The faults of a change, as sentences by field: an unknown threshold, or one out of its limits. */
export function faultsOf(change: DetectorChange): Record<string, string[]> {
  const faults: Record<string, string[]> = {}
  for (const { id, thresholds } of detectors)
    for (const [name, value] of Object.entries(change[id]?.thresholds ?? {})) {
      const known = (thresholds as readonly Threshold[]).find((threshold) => threshold.name === name)
      const field = `detectors.${id}.${name}`
      if (!known) faults[field] = [`The detector ${id} has no threshold ${name.slice(0, 50)}.`]
      else if (!Number.isInteger(value) || value < known.min || value > known.max)
        faults[field] = [`${name} of ${id} is a whole number from ${known.min} to ${known.max}.`]
    }
  return faults
}

/** The JSON to store after a change. Values that equal the defaults are left out, so that later defaults apply. */
export function changedDetectors(json: string, change: DetectorChange): string {
  const now = readDetectors(json)
  const next: DetectorChange = {}
  for (const { id, thresholds } of detectors) {
    const active = change[id]?.active ?? now[id].active
    const values = { ...now[id].thresholds, ...change[id]?.thresholds }
    const own = Object.fromEntries(
      thresholds.flatMap(({ name, default: value }) => (values[name] === value ? [] : [[name, values[name] ?? value]])),
    )
    if (active && Object.keys(own).length === 0) continue
    next[id] = { ...(active ? {} : { active }), ...(Object.keys(own).length > 0 ? { thresholds: own } : {}) }
  }
  return JSON.stringify(next)
}
