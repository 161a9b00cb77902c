import { beforeMs } from '../../domain/alerts/metric-rules.ts'
import type { QueryDeps } from '../../query/issues/issue.ts'
import type { Value } from '../../store/events/question.ts'
import type { Counted, WindowTrigger } from './issue.ts'
import { type CountedPart, groupFilter } from './issue-counts.ts'
import { queryLimits } from './query-limits.ts'

type Deps = Pick<QueryDeps, 'events' | 'meta'>
type Range = { fromMs: number; toMs: number }

const minuteMs = 60_000
/** Groups of a back-test, those with most events. The evaluator looks at so many of one step. */
const groupsMax = 2000
/** Minutes of groups that are read, the newest: about 20 MB. */
const minutesMax = 400_000
/** Groups whose people are counted, each by a query of its own. */
const peopleMax = 100

/** The place of the first element that is not below a value. */
function placeOf(list: readonly number[], value: number): number {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((list[middle] ?? 0) < value) low = middle + 1
    else high = middle
  }
  return low
}

/** Events of an issue by minute: `sums[at]` are those before `minutes[at]`. */
type Line = { minutes: number[]; sums: number[] }

function lineOf(counts: ReadonlyMap<number, number>): Line {
  const minutes = [...counts.keys()].toSorted((a, b) => a - b)
  const sums = [0]
  for (const minute of minutes) sums.push((sums.at(-1) ?? 0) + (counts.get(minute) ?? 0))
  return { minutes, sums }
}

const between = ({ minutes, sums }: Line, from: number, to: number): number =>
  (sums[placeOf(minutes, to)] ?? 0) - (sums[placeOf(minutes, from)] ?? 0)

/** Counts of windows of the past, by issue. */
export type PastCounts = {
  issueIds: number[]
  /** Ends of the steps of a range in which an issue had events: the evaluator looks at no others. */
  stepsOf(issueId: number, range: Range, stepMs: number): number[]
  counted(issueId: number, trigger: WindowTrigger, endMs: number, stepMs: number): Counted
  earlier(issueId: number, trigger: Extract<WindowTrigger, { type: 'rate' }>, endMs: number, stepMs: number): Counted
  /** Stored rows of the range. */
  samples(range: Range): number
  /** Minutes before it were not read. */
  readFrom: number
  /** Some groups or their people were too many to be counted. */
  isPartial: boolean
}

/** The groups with most events, and the issues that they are in now. */
async function readGroups({ events, meta }: Deps, part: CountedPart, range: Range) {
  const rows = await events.groupRows({
    ...questionOf(part, range),
    values: [projectValue, groupValue],
    order: [{ at: 2, descending: true }],
    max: groupsMax,
  })
  const groups = rows.map(([projectId, hash]) => ({ projectId: Number(projectId), groupHash: String(hash) }))
  return { issueOf: await meta.issues.issueIdsOf(groups), isPartial: rows.length === groupsMax }
}

const projectValue: Value = { of: 'number', column: 'projectId' }
const groupValue: Value = { of: 'id', column: 'group' }

const questionOf = ({ projectIds, environments, event }: CountedPart, range: Range, hashes?: string[]) => ({
  from: 'events' as const,
  scope: { projectIds, environments, ...range },
  by: 'received' as const,
  filter: groupFilter(event, hashes),
  withCut: false,
  aggregates: [{ fn: 'samples' as const }],
  having: [],
  offset: 0,
  limits: queryLimits,
})

const hashOf = (key: string): string => key.slice(key.indexOf(':') + 1)

async function readLines({ events }: Deps, part: CountedPart, range: Range, issueOf: ReadonlyMap<string, number>) {
  const hashes = [...new Set([...issueOf.keys()].map(hashOf))]
  const rows = await events.groupRows({
    ...questionOf(part, range, hashes),
    values: [projectValue, groupValue, { of: 'number', column: 'receivedMinute' }],
    order: [{ at: 2, descending: true }],
    max: minutesMax,
  })
  const isCut = rows.length === minutesMax
  // The oldest minute may be half read.
  const readFrom = isCut ? (Number(rows.at(-1)?.[2]) + 1) * minuteMs : range.fromMs
  const found = new Map<number, Map<number, number>>()
  for (const [projectId, hash, minute, count] of rows) {
    const issueId = issueOf.get(`${projectId}:${hash}`)
    if (issueId === undefined || Number(minute) * minuteMs < readFrom) continue
    const own = found.get(issueId) ?? new Map<number, number>()
    found.set(issueId, own)
    own.set(Number(minute), (own.get(Number(minute)) ?? 0) + Number(count))
  }
  return { lines: new Map([...found].map(([id, counts]) => [id, lineOf(counts)])), readFrom }
}

/** The most events of a window that ends in a minute with events. */
const mostIn = (line: Line, windowMinutes: number): number =>
  line.minutes.reduce((most, minute) => Math.max(most, between(line, minute + 1 - windowMinutes, minute + 1)), 0)

type Changes = { endMs: number[]; counts: number[] }

/** People of the windows of one trigger, by issue and group. Issues with fewer events than `least` cannot reach it. */
async function readPeople(
  { events }: Deps,
  part: CountedPart,
  range: Range,
  {
    issueOf,
    lines,
    windowMinutes,
    least,
  }: {
    issueOf: ReadonlyMap<string, number>
    lines: ReadonlyMap<number, Line>
    windowMinutes: number
    least: number
  },
) {
  const keys = [...issueOf].filter(([, id]) => {
    const line = lines.get(id)
    return line !== undefined && mostIn(line, windowMinutes) >= least
  })
  const people = new Map<number, Changes[]>()
  for (const [key, issueId] of keys.slice(0, peopleMax)) {
    const projectIds = [Number(key.slice(0, key.indexOf(':')))]
    const { from, scope, filter } = questionOf({ ...part, projectIds }, range, [hashOf(key)])
    const [series] = await events.uniqueOfWindows({
      from,
      scope,
      filter,
      limits: queryLimits,
      parts: [{ of: { of: 'id', column: 'user' }, only: undefined }],
      values: [],
      stepMs: minuteMs,
      windowMs: windowMinutes * minuteMs,
    })
    const own = people.get(issueId) ?? []
    people.set(issueId, own)
    const changes = series?.changes ?? []
    own.push({ endMs: changes.map(({ endMs }) => endMs), counts: changes.map(({ count }) => count) })
  }
  return { people, isPartial: keys.length > peopleMax }
}

/** People at the end of a window: those of the largest group, as the evaluator counts them. */
const peopleAt = (groups: readonly Changes[] | undefined, endMs: number): number =>
  Math.max(0, ...(groups ?? []).map((changes) => changes.counts[placeOf(changes.endMs, endMs + 1) - 1] ?? 0))

const keyOf = ({ type, windowMinutes }: WindowTrigger): string => `${type} ${windowMinutes}`

/**
 * Reads the counts of all windows that end in a range, from the stored rows by minute of receipt. `least`: the smallest
 * number that a trigger is tried with. Throws QUERY_TIMEOUT, STORE_UNAVAILABLE.
 */
export async function readPastCounts(
  deps: Deps,
  part: CountedPart,
  windows: readonly WindowTrigger[],
  { range, least, stepMs }: { range: Range; least: (trigger: WindowTrigger) => number; stepMs: number },
): Promise<PastCounts> {
  const backMs = windows.map((window) => {
    const windowMs = window.windowMinutes * minuteMs + stepMs
    return window.type === 'rate' ? windowMs + beforeMs[window.before] : windowMs
  })
  const whole = { fromMs: Math.max(0, range.fromMs - Math.max(...backMs)), toMs: range.toMs }
  const { issueOf, isPartial } = await readGroups(deps, part, whole)
  const { lines, readFrom } = await readLines(deps, part, whole, issueOf)
  const people = new Map<string, Awaited<ReturnType<typeof readPeople>>>()
  for (const window of windows) {
    if (window.type !== 'users' || people.has(keyOf(window))) continue
    const { windowMinutes } = window
    const asked = { issueOf, lines, windowMinutes, least: least(window) }
    people.set(keyOf(window), await readPeople(deps, part, whole, asked))
  }
  const at = (issueId: number, trigger: WindowTrigger, endMs: number): number => {
    if (trigger.type === 'users') return peopleAt(people.get(keyOf(trigger))?.people.get(issueId), endMs)
    const line = lines.get(issueId)
    const end = endMs / minuteMs
    return line ? between(line, end - trigger.windowMinutes, end) : 0
  }
  const both = (issueId: number, trigger: WindowTrigger, endMs: number, step: number): Counted => ({
    now: at(issueId, trigger, endMs),
    before: at(issueId, trigger, endMs - step),
  })
  return {
    issueIds: [...lines.keys()],
    stepsOf: (issueId, { fromMs, toMs }, step) => {
      const ends = (lines.get(issueId)?.minutes ?? []).map(
        (minute) => (Math.floor((minute * minuteMs) / step) + 1) * step,
      )
      return [...new Set(ends)].filter((endMs) => endMs > fromMs && endMs <= toMs)
    },
    counted: both,
    earlier: (issueId, trigger, endMs, step) => both(issueId, trigger, endMs - beforeMs[trigger.before], step),
    samples: ({ fromMs, toMs }) =>
      [...lines.values()].reduce((sum, line) => sum + between(line, fromMs / minuteMs, toMs / minuteMs), 0),
    readFrom: readFrom === whole.fromMs ? 0 : readFrom + Math.max(...backMs),
    isPartial: isPartial || [...people.values()].some((found) => found.isPartial),
  }
}
