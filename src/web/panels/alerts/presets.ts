import type { Plan } from '../../../contract/explore/explore.ts'
import { groupFieldsMax } from '../../../domain/alerts/metric-rules.ts'
import { exploreParams, renamed } from '../explore/params.ts'
import { emptyDraft, type MetricPart, type RuleDraft, withMeasure } from './draft.ts'

export const presetIds = ['new', 'errors', 'doubled', 'slow', 'silent'] as const
type PresetId = (typeof presetIds)[number]

const metric = (change: (part: MetricPart) => MetricPart): RuleDraft => ({
  ...emptyDraft,
  kind: 'metric',
  metric: change(emptyDraft.metric),
})

/** Rules that most teams want, with numbers to begin with. `silent` has no resolve message: the first event ends it. */
const presets: Readonly<Record<PresetId, RuleDraft>> = {
  new: { ...emptyDraft, environment: 'production' },
  errors: metric((part) => part),
  doubled: metric((part) => ({
    ...part,
    windowMinutes: 60,
    threshold: { ...part.threshold, type: 'change', before: 'week', critical: 100 },
    minimum: 50,
  })),
  slow: metric((part) => ({
    ...withMeasure(part, 'p95'),
    windowMinutes: 15,
    threshold: { ...part.threshold, critical: 2000 },
    minimum: 20,
  })),
  silent: metric((part) => ({
    ...part,
    windowMinutes: 60,
    threshold: { ...part.threshold, direction: 'below', critical: 1 },
    missing: 'fire',
  })),
}

/** The plan of a page's query string as a rule watches it: no rows or comparison; one value of each group decides. */
function watchedPlan(plan: Plan): Plan {
  const { compare: _, ...rest } = plan
  return renamed({ ...rest, columns: [], groupBy: rest.groupBy.slice(0, groupFieldsMax), order: '', limit: 100 })
}

/** The value that a plan is about: its last formula, else its first series. */
const decidingOf = (plan: Plan): string => plan.formulas.at(-1)?.name ?? plan.series[0]?.name ?? 'a'

/**
 * The draft of an address: `?preset=` names one of the presets; the parameters of Explore (`dataset`, `q`, `s`, `f`,
 * `by`, `project`, `env`) become a metric rule. Without either it is an empty rule. `name` titles it.
 */
export function draftOfAddress(search: URLSearchParams, titleOf: (preset: PresetId) => string): RuleDraft {
  const preset = presetIds.find((id) => id === search.get('preset'))
  if (preset) return { ...presets[preset], name: titleOf(preset) }
  if (!search.has('dataset')) return emptyDraft
  const { plan, project, env } = exploreParams(search)
  const watched = watchedPlan(plan)
  const environments = env.split(',').filter((name) => name !== '')
  return {
    ...emptyDraft,
    kind: 'metric',
    name: (search.get('name') ?? '').slice(0, 120),
    projects: project.split(',').filter((slug) => slug !== ''),
    // A rule has one environment or all of them. Several become a part of the filter, so that none is lost.
    environment: environments.length === 1 ? (environments[0] ?? null) : null,
    metric: {
      ...emptyDraft.metric,
      plan: environments.length > 1 ? withEnvironments(watched, environments) : watched,
      of: decidingOf(watched),
      windowMinutes: 60,
      threshold: { ...emptyDraft.metric.threshold, critical: null },
    },
  }
}

const quoted = (value: string): string => (/^[\w./-]+$/.test(value) ? value : `"${value.replace(/(["\\])/g, '\\$1')}"`)

function withEnvironments(plan: Plan, environments: readonly string[]): Plan {
  const filter = `environment:[${environments.map(quoted).join(',')}]`
  return { ...plan, query: plan.query === '' ? filter : `${plan.query} ${filter}` }
}
