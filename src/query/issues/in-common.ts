import type { RestInCommon } from '../../contract/issues.ts'
import { isPerformanceKind } from '../../domain/detectors/detectors.ts'
import { commonEventsMin } from '../../domain/in-common.ts'
import type { GroupCount, Scope } from '../../store/events/events.ts'
import type { Issue } from '../../store/meta/meta.ts'
import { commonOf, type ValueCount } from '../events/lift.ts'
import { performanceGroups } from '../performance/groups.ts'
import type { QueryDeps } from './issue.ts'

/** Limits of the issue's newest events that are read, and of their values. */
const ownMax = 5_000
const valuesMax = 500
/** Limit of values in the answer. */
const valuesShownMax = 20
/**
 * Sample size of other events; fewer are all read. 4,000 find a planted cause in 95 of 100 cases (lift.test.ts); 40,000
 * took twice as long.
 */
const othersMax = 20_000
const groupsMax = 10_000
/** Large groups sampled on their own: one of them more or less in a sample would change the result. */
const heavyMax = 25
/**
 * Each group is read in one range per window and part, and each range costs as much as a hundred events. Rejected:
 * separate windows for a hundred groups drawn by size (each condition is checked for every granule: 3 s for ten million
 * events), and every n-th granule (0.4 s).
 */
const windows = 2

type Deps = Pick<QueryDeps, 'meta' | 'events'>

const sum = (groups: readonly GroupCount[]) => groups.reduce((all, group) => all + group.events, 0)

/** Returns short time windows that are spread over a scope and cover a share of it. */
function windowsOf({ fromMs, toMs }: Scope, share: number): { fromMs: number; toMs: number }[] {
  if (share >= 1) return [{ fromMs, toMs }]
  const eachMs = (toMs - fromMs) / windows
  return Array.from({ length: windows }, (_, at) => {
    const startMs = fromMs + eachMs * (at + (1 - share) / 2)
    return { fromMs: Math.floor(startMs), toMs: Math.ceil(startMs + eachMs * share) }
  })
}

type Sample = { total: number; events: number; counts: Map<string, number> }

/**
 * Counts these values in other events of the project. Many events are sampled: short windows of the largest groups, and
 * every n-th other group by size. The store keeps the rows of a group together and reads only those. `leftOut`: groups of
 * the issue, and those whose events are no errors.
 */
async function othersOf(deps: Deps, projectId: number, scope: Scope, leftOut: readonly string[], pairs: string[]) {
  const without = new Set(leftOut)
  const found = await deps.events.groups({ scope, order: 'events', max: groupsMax })
  const others = found.filter((group) => !without.has(group.groupHash))
  const total = sum(others)
  const heavy = total > othersMax ? others.slice(0, heavyMax) : []
  const light = others.slice(heavy.length)
  const part = async (groups: GroupCount[], spans: { fromMs: number; toMs: number }[]): Promise<Sample> => {
    if (groups.length === 0) return { total: 0, events: 0, counts: new Map() }
    const hashes = groups.map((group) => group.groupHash)
    return { total: sum(groups), ...(await deps.events.tagPairs({ projectId, hashes, scope, spans, pairs })) }
  }
  // With a few large groups, a step by size alone would pick no group or a single group to represent all. So the step
  // leaves at least `heavyMax` groups, if there are so many, and counts each of them for a part of the time.
  const step = Math.max(1, Math.min(Math.ceil(sum(light) / (othersMax / 2)), Math.floor(light.length / heavyMax)))
  // Starts in the middle of a step: the largest group has more events than all others of the sample together.
  const picked = light.filter((_group, at) => at % step === step >> 1)
  const share = othersMax / 2 / Math.max(1, sum(picked))
  const [first, second] = await Promise.all([
    part(heavy, windowsOf(scope, othersMax / 2 / Math.max(1, sum(heavy)))),
    part(picked, windowsOf(scope, share < 1 / 2 ? share : 1)),
  ])
  return { total, samples: [first, { ...second, total: sum(light) }] }
}

/**
 * Compares the events of an issue with the project's other events. Fewer than 20 events are not compared. Throws
 * STORE_UNAVAILABLE.
 */
export async function inCommonOf(deps: Deps, issue: Issue, scope: Scope): Promise<RestInCommon> {
  const { projectId } = issue
  const hashes = (await deps.meta.issues.hashesOf([issue.id])).get(issue.id) ?? []
  const nothing = { own: 0, others: 0, values: [] }
  if (hashes.length === 0) return nothing
  const tags = await deps.events.tagsOf({ projectId, hashes, scope, max: ownMax, valuesMax: 50 })
  // Every row has the tag `level`, so the largest tag total is the number of read rows. The rollups also count
  // downsampled rows, which have no values.
  const ownEvents = Math.max(0, ...tags.map((tag) => tag.total))
  const candidates = tags
    .flatMap(({ key, values }) => values.map(({ value, events }) => ({ key, value, own: events })))
    .sort((a, b) => b.own - a.own)
    .slice(0, valuesMax)
  if (candidates.length === 0 || ownEvents < commonEventsMin) return { ...nothing, own: ownEvents }
  const pairs = candidates.map(({ key, value }) => `${key}=${value}`)
  // An error has nothing in common with what detectors found. The rollup has both, and a filter by type would read rows.
  const detections = isPerformanceKind(issue.kind)
    ? []
    : await performanceGroups(deps.meta, { projectIds: [projectId], fromMs: scope.fromMs })
  const leftOut = [...hashes, ...detections.map(({ groupHash }) => groupHash)]
  const { total, samples } = await othersOf(deps, projectId, scope, leftOut, pairs)
  const sampledEvents = samples.reduce((all, sample) => all + sample.events, 0)
  // Each sample is weighted by its source. The sizes are those that were read, so that the bounds stay valid.
  const shareOf = (pair: string) =>
    samples.reduce(
      (all, sample) => all + (sample.events ? ((sample.counts.get(pair) ?? 0) / sample.events) * sample.total : 0),
      0,
    ) /
    Math.max(
      1,
      samples.reduce((all, sample) => all + (sample.events ? sample.total : 0), 0),
    )
  const values = candidates.map(
    (candidate): ValueCount => ({
      ...candidate,
      others: shareOf(`${candidate.key}=${candidate.value}`) * Math.min(sampledEvents, total),
    }),
  )
  const others = Math.min(sampledEvents, total)
  return { own: ownEvents, others, values: commonOf({ own: ownEvents, others, values }, valuesShownMax) }
}
