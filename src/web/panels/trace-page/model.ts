import type { RestTraceView } from '../../../contract/explore/trace-views.ts'
import { type Run, runsOf } from '../../../domain/traces/trace-runs.ts'
import { isBoundary, textOf } from '../../../domain/traces/trace-spans.ts'
import { type CriticalPath, criticalPath, type Gap, mainRoot, timesOf } from '../../../domain/traces/trace-times.ts'
import { buildTree, childrenOf, extentOf, type TraceTree } from '../../../domain/traces/trace-tree.ts'
import { type SpanVital, spanVitalsOf } from '../../../query/traces/span-vitals.ts'
import type { Clocks } from './view-state.ts'

/** An error, feedback, log line, web vital or performance issue at its span. `node` is -1 if only its time is known. */
export type Point = {
  kind: 'error' | 'feedback' | 'log' | 'vital' | 'finding'
  index: number
  atUs: number
  node: number
}

/** Everything that the views of a trace show, computed once for each answer of the server. */
export type TraceModel = {
  view: RestTraceView
  tree: TraceTree
  selfUs: Float64Array
  networkUs: Float64Array
  /** Gaps before a child, by the child, and at the end of a span, by the span. */
  gapsBefore: ReadonlyMap<number, Gap>
  gapsAtEnd: ReadonlyMap<number, Gap>
  /** Runs of repeated siblings, by their parent, and by their first node. */
  runs: ReadonlyMap<number, Run[]>
  runAt: ReadonlyMap<number, Run>
  path: CriticalPath
  /** Numbers of the parts of the critical path, by node. */
  partsOf: ReadonlyMap<number, number[]>
  /** The web vitals that points name by their index. */
  vitals: readonly SpanVital[]
  points: readonly Point[]
  pointsOf: ReadonlyMap<number, Point[]>
  /** The first node of the band that a node belongs to: what one process did in a row. -1 for a missing parent. */
  bands: Int32Array
  /** Number of spans of a band, by its first node. */
  bandSizes: ReadonlyMap<number, number>
  fromUs: number
  toUs: number
  /** Number of spans that ended in an error. */
  failed: number
  /** The clock of a service differs, and its times are shown as it reported them. */
  isRecorded: boolean
}

function pointsIn({ events, feedback, logs }: RestTraceView, vitals: readonly SpanVital[]): Point[] {
  return [
    ...vitals.map(({ atUs, span }, index): Point => ({ kind: 'vital', index, atUs, node: span })),
    ...events.map(({ at, span }, index): Point => ({ kind: 'error', index, atUs: at, node: span })),
    ...feedback.map(({ at, span }, index): Point => ({ kind: 'feedback', index, atUs: at, node: span })),
    ...logs.map(({ at, span }, index): Point => ({ kind: 'log', index, atUs: at, node: span })),
  ]
}

/**
 * A band is what one process did in a row: it begins at each segment, and where the project changes. Roots of one
 * project in a row, such as spans whose segment did not arrive, are one band.
 */
function bandsOf({ spans }: RestTraceView, tree: TraceTree): Int32Array {
  const bands = new Int32Array(tree.nodeCount).fill(-1)
  let lastRoot = -1
  for (const node of tree.order) {
    if (node >= tree.spanCount) continue
    const parent = tree.parents[node] ?? -1
    if (parent >= 0 && parent < tree.spanCount) {
      bands[node] = isBoundary(spans, node, parent) ? node : (bands[parent] ?? node)
      continue
    }
    const isNext = lastRoot >= 0 && tree.parents[lastRoot] === parent && !isBoundary(spans, node, lastRoot)
    bands[node] = isNext ? (bands[lastRoot] ?? node) : node
    lastRoot = node
  }
  return bands
}

/**
 * Performance issues are beside their first span, below its parent: a run of repeated siblings is one row, and they are what
 * an issue is about most often.
 */
const findingsIn = ({ findings }: RestTraceView, { parents, starts }: TraceTree): Point[] =>
  findings.map(({ at, span }, index) => ({
    kind: 'finding',
    index,
    atUs: span >= 0 ? (starts[span] ?? 0) : at,
    node: span >= 0 ? (parents[span] ?? -1) : -1,
  }))

/** Corrected times are those of the tree: a moved span takes its errors along. */
function movePoints(points: Point[], tree: TraceTree): Point[] {
  return points.map((point) => ({ ...point, atUs: point.atUs + (tree.shifts[point.node] ?? 0) }))
}

/** Whether times of a tree are corrected. */
export const isShifted = ({ shifts }: TraceTree): boolean => shifts.some((shift) => shift !== 0)

/** Length of the axis of a trace that has only one error. */
const axisUsMin = 1_000_000

/** Builds the model of a trace. `clocks`: whether the times of services with another clock are corrected. */
export function modelOf(view: RestTraceView, clocks: Clocks = 'corrected'): TraceModel {
  const { spans } = view
  const corrected = buildTree(spans, { isSampled: view.isSampled })
  const isRecorded = clocks === 'recorded' && isShifted(corrected)
  const tree = isRecorded ? buildTree(spans, { isSampled: view.isSampled, isRecorded }) : corrected
  const { selfUs, gaps, networkUs } = timesOf(spans, tree)
  const vitals = spanVitalsOf(view)
  const points = [...movePoints(pointsIn(view, vitals), tree), ...findingsIn(view, tree)].sort(
    (a, b) => a.atUs - b.atUs,
  )
  const path = criticalPath(tree, mainRoot(tree))
  const bands = bandsOf(view, tree)
  const runs = runsOf(spans, tree)
  const bandSizes = new Map<number, number>()
  for (const band of bands) if (band >= 0) bandSizes.set(band, (bandSizes.get(band) ?? 0) + 1)
  const extent = extentOf(tree)
  // A browser's vitals are not checked: a wrong one must not stretch the axis.
  const times = points.filter(({ kind }) => kind !== 'vital').map((point) => point.atUs)
  return {
    view,
    tree,
    selfUs,
    networkUs,
    gapsBefore: new Map(gaps.flatMap((gap) => (gap.before >= 0 ? [[gap.before, gap] as const] : []))),
    gapsAtEnd: new Map(gaps.flatMap((gap) => (gap.before < 0 ? [[gap.node, gap] as const] : []))),
    runs,
    runAt: new Map([...runs.values()].flatMap((list) => list.map((run) => [run.first, run] as const))),
    path,
    partsOf: Map.groupBy(path.nodes.keys(), (part) => path.nodes[part] ?? -1),
    vitals,
    points,
    pointsOf: Map.groupBy(points, (point) => point.node),
    bands,
    bandSizes,
    fromUs: tree.spanCount === 0 ? Math.min(0, ...times) : Math.min(extent.fromUs, ...times),
    toUs: tree.spanCount === 0 ? Math.max(axisUsMin, ...times) : Math.max(extent.toUs, ...times),
    isRecorded,
    failed: spans.failures.reduce((sum, failed) => sum + failed, 0),
  }
}

/** The run that a node is a part of, if it is one of repeated siblings. */
export function runOfNode({ tree, runs }: TraceModel, node: number): Run | undefined {
  const parent = tree.parents[node] ?? -1
  const found = runs.get(parent)
  if (!found) return undefined
  const place = (parent < 0 ? Int32Array.from(tree.roots) : childrenOf(tree, parent)).indexOf(node)
  return found.find((run) => place >= run.place && place < run.place + run.count)
}

/** The members of a run. */
export function membersOf({ tree }: TraceModel, run: Run): Int32Array {
  const parent = tree.parents[run.first] ?? -1
  const end = run.place + run.count
  return parent < 0
    ? Int32Array.from(tree.roots.slice(run.place, end))
    : childrenOf(tree, parent).subarray(run.place, end)
}

/** Whether a node is a span of a project that the reader may not read. */
export const isHidden = ({ view, tree }: TraceModel, node: number): boolean =>
  node < tree.spanCount && view.projects[view.spans.projects[node] ?? 0]?.slug === null

/** Why an SDK ended a span early, '' if it did not. */
export const cutOf = ({ view, tree }: TraceModel, node: number): string =>
  node < tree.spanCount ? textOf(view.spans, 'cuts', node) : ''

/** The web vitals of a trace: the largest value of each. */
export function vitalsOf({ view }: TraceModel): ReadonlyMap<string, { value: number; span: number }> {
  const vitals = new Map<string, { value: number; span: number }>()
  for (const { span, values } of view.vitals)
    for (const [name, value] of Object.entries(values))
      if (value > (vitals.get(name)?.value ?? -1)) vitals.set(name, { value, span })
  return vitals
}

/** The node that the end of the trace waited for longest, and for how long. */
export function longestWait({ path }: TraceModel): { node: number; us: number } | undefined {
  const sums = new Map<number, number>()
  for (const [part, node] of path.nodes.entries())
    sums.set(node, (sums.get(node) ?? 0) + (path.toUs[part] ?? 0) - (path.fromUs[part] ?? 0))
  let longest: { node: number; us: number } | undefined
  for (const [node, us] of sums) if (!longest || us > longest.us) longest = { node, us }
  return longest
}
