import { correctClocks } from './trace-clocks.ts'
import { type TraceSpans, textOf } from './trace-spans.ts'

/**
 * The tree of a trace. Nodes are numbers: first the spans, by their index in the columns, then one node for each parent
 * that is named but not stored. Every list has an entry for each node. Nothing here recurses, and each step is linear in
 * the number of spans except the sort by start: senders choose ids and can send 200,000 spans in one chain.
 */
export type TraceTree = {
  spanCount: number
  nodeCount: number
  /** Microseconds after the origin, after the correction of clocks. */
  starts: Float64Array
  /** Microseconds. */
  durations: Float64Array
  /** What the correction of clocks added to the start, microseconds. 0: nothing. */
  shifts: Float64Array
  /** -1: a root. -2: a repeated span, which is no part of the tree. */
  parents: Int32Array
  /** The children of node n are `children[firstChild[n]]` up to `children[firstChild[n + 1] - 1]`, by start. */
  firstChild: Int32Array
  children: Int32Array
  /** The roots by start. */
  roots: readonly number[]
  /** All nodes, each before its children. Repeated spans are left out. */
  order: Int32Array
  depths: Int32Array
  /** Number of nodes of the subtree, with the node itself. */
  sizes: Int32Array
  /** Ids of the missing parents, in the order of their nodes. */
  missingIds: readonly string[]
  /** Spans whose parents formed a circle. The first of each circle became a root or a child of the missing parent. */
  cyclic: ReadonlySet<number>
  /** Number of spans that came more than once in the same project. */
  repeated: number
}

type Options = {
  /** The spans are a sample: a span whose parent was left out hangs on its segment, not on a missing parent. */
  isSampled?: boolean
  /** Times stay as recorded: clocks of services are not corrected. */
  isRecorded?: boolean
}

/** Spans by id. Several projects can have a span with one id. */
type ById = { first: Map<string, number>; next: Int32Array }

/** All spans by id, and the repeats marked in `parents`. The first of a project counts. */
function indexById(spans: TraceSpans, order: Int32Array, parents: Int32Array): { byId: ById; repeated: number } {
  const first = new Map<string, number>()
  const next = new Int32Array(spans.ids.length).fill(-1)
  let repeated = 0
  for (const span of order) {
    const id = spans.ids[span] ?? ''
    const known = first.get(id)
    if (known === undefined) {
      first.set(id, span)
      continue
    }
    let at = known
    while (spans.projects[at] !== spans.projects[span] && next[at] !== -1) at = next[at] ?? -1
    if (spans.projects[at] === spans.projects[span]) {
      parents[span] = -2
      repeated++
    } else next[at] = span
  }
  return { byId: { first, next }, repeated }
}

/** The span with this id, one of the same project before one of another; -1 if there is none. */
function findById({ first, next }: ById, spans: TraceSpans, id: string, project: number | undefined): number {
  const found = first.get(id) ?? -1
  for (let at = found; at !== -1; at = next[at] ?? -1) if (spans.projects[at] === project) return at
  return found
}

/** Sets the parent of each span. Returns the ids of the missing ones: node `spanCount + n` is the nth of them. */
function linkParents(
  spans: TraceSpans,
  order: Int32Array,
  parents: Int32Array,
  byId: ById,
  isSampled: boolean,
): string[] {
  const missing = new Map<string, number>()
  for (const span of order) {
    if (parents[span] === -2) continue
    const project = spans.projects[span]
    const id = spans.parentIds[span] ?? ''
    if (id === '' || id === spans.ids[span]) continue
    let parent = findById(byId, spans, id, project)
    if (parent === -1 && isSampled) parent = findById(byId, spans, textOf(spans, 'segmentIds', span), project)
    if (parent === -1 || parent === span) {
      if (isSampled) continue
      if (parent === -1 && !missing.has(id)) missing.set(id, spans.ids.length + missing.size)
      parent = missing.get(id) ?? -1
    }
    parents[span] = parent
  }
  return [...missing.keys()]
}

/** Cuts each circle of parents at its first span by start, and returns these spans. */
function cutCircles(order: Int32Array, parents: Int32Array): Set<number> {
  const rank = new Int32Array(parents.length)
  for (const [at, span] of order.entries()) rank[span] = at
  const walked = new Int32Array(parents.length)
  const cut = new Set<number>()
  for (const [at, from] of order.entries()) {
    const walk = at + 1
    let span = from
    while (span >= 0 && walked[span] === 0) {
      walked[span] = walk
      span = parents[span] ?? -1
    }
    if (span < 0 || walked[span] !== walk) continue
    let earliest = span
    for (let next = parents[span] ?? -1; next !== span; next = parents[next] ?? -1)
      if ((rank[next] ?? 0) < (rank[earliest] ?? 0)) earliest = next
    parents[earliest] = -1
    cut.add(earliest)
  }
  return cut
}

/** The spans by start; longer ones first, so that a parent comes before a child that starts with it. */
export function byStart(starts: ArrayLike<number>, durations: ArrayLike<number>, count: number): Int32Array {
  const order = Int32Array.from({ length: count }, (_, at) => at)
  const compare = (a: number, b: number) =>
    (starts[a] ?? 0) - (starts[b] ?? 0) || (durations[b] ?? 0) - (durations[a] ?? 0) || a - b
  // Rows come from the store in this order, and a check of 200,000 costs 1 ms instead of 90.
  for (let at = 1; at < count; at++) if (compare(at - 1, at) > 0) return order.sort(compare)
  return order
}

type Shape = Pick<TraceTree, 'firstChild' | 'children' | 'roots' | 'order' | 'depths' | 'sizes'>

/** Orders children by start and all nodes before their children. */
function shapeOf(parents: Int32Array, nodes: Int32Array): Shape {
  const count = parents.length
  const firstChild = new Int32Array(count + 1)
  for (const parent of parents) if (parent >= 0) firstChild[parent + 1] = (firstChild[parent + 1] ?? 0) + 1
  for (let node = 0; node < count; node++) firstChild[node + 1] = (firstChild[node + 1] ?? 0) + (firstChild[node] ?? 0)
  const filled = firstChild.slice(0, count)
  const children = new Int32Array(firstChild[count] ?? 0)
  const roots: number[] = []
  for (const node of nodes) {
    const parent = parents[node] ?? -2
    if (parent === -1) roots.push(node)
    if (parent < 0) continue
    const at = filled[parent] ?? 0
    children[at] = node
    filled[parent] = at + 1
  }
  const order = new Int32Array(children.length + roots.length)
  const depths = new Int32Array(count)
  const open = roots.toReversed()
  let at = 0
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    order[at++] = node
    const depth = (depths[node] ?? 0) + 1
    for (let child = (firstChild[node + 1] ?? 0) - 1; child >= (firstChild[node] ?? 0); child--) {
      const below = children[child] ?? 0
      depths[below] = depth
      open.push(below)
    }
  }
  const sizes = new Int32Array(count).fill(1)
  for (let last = order.length - 1; last >= 0; last--) {
    const node = order[last] ?? 0
    const parent = parents[node] ?? -1
    if (parent >= 0) sizes[parent] = (sizes[parent] ?? 0) + (sizes[node] ?? 0)
  }
  return { firstChild, children, roots, order, depths, sizes }
}

/** A missing parent covers its children. */
function coverMissing(parents: Int32Array, spanCount: number, starts: Float64Array, durations: Float64Array): void {
  const ends = new Float64Array(starts.length).fill(Number.NEGATIVE_INFINITY)
  for (let node = spanCount; node < starts.length; node++) starts[node] = Number.POSITIVE_INFINITY
  for (let span = 0; span < spanCount; span++) {
    const parent = parents[span] ?? -1
    if (parent < spanCount) continue
    const start = starts[span] ?? 0
    starts[parent] = Math.min(starts[parent] ?? start, start)
    ends[parent] = Math.max(ends[parent] ?? start, start + (durations[span] ?? 0))
  }
  for (let node = spanCount; node < starts.length; node++) {
    // The only child of a missing parent can have become a root, where a circle was cut.
    if (!Number.isFinite(starts[node] ?? 0)) starts[node] = 0
    durations[node] = Math.max(0, (ends[node] ?? 0) - (starts[node] ?? 0))
  }
}

/** Builds the tree of a trace. See `TraceTree`. */
export function buildTree(spans: TraceSpans, { isSampled = false, isRecorded = false }: Options = {}): TraceTree {
  const spanCount = spans.ids.length
  const sorted = byStart(spans.starts, spans.durations, spanCount)
  const linked = new Int32Array(spanCount).fill(-1)
  const { byId, repeated } = indexById(spans, sorted, linked)
  const missingIds = linkParents(spans, sorted, linked, byId, isSampled)
  const nodeCount = spanCount + missingIds.length
  const parents = new Int32Array(nodeCount).fill(-1)
  parents.set(linked)
  const cyclic = cutCircles(sorted, parents)
  const starts = new Float64Array(nodeCount)
  starts.set(spans.starts)
  const durations = new Float64Array(nodeCount)
  durations.set(spans.durations)
  coverMissing(parents, spanCount, starts, durations)
  const rough = shapeOf(parents, byStart(starts, durations, nodeCount))
  const shifts = isRecorded
    ? new Float64Array(nodeCount)
    : correctClocks(spans, { ...rough, parents, starts, durations })
  const isShifted = shifts.some((shift) => shift !== 0)
  if (isShifted) coverMissing(parents, spanCount, starts, durations)
  const shape = isShifted ? shapeOf(parents, byStart(starts, durations, nodeCount)) : rough
  return { spanCount, nodeCount, starts, durations, shifts, parents, ...shape, missingIds, cyclic, repeated }
}

/** The children of a node, by start. */
export const childrenOf = (
  { firstChild, children }: Pick<TraceTree, 'firstChild' | 'children'>,
  node: number,
): Int32Array => children.subarray(firstChild[node], firstChild[node + 1])

/** The first start and the last end of all nodes, microseconds after the origin. */
export function extentOf({ order, starts, durations }: TraceTree): { fromUs: number; toUs: number } {
  let [fromUs, toUs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const node of order) {
    const start = starts[node] ?? 0
    fromUs = Math.min(fromUs, start)
    toUs = Math.max(toUs, start + (durations[node] ?? 0))
  }
  return order.length === 0 ? { fromUs: 0, toUs: 1 } : { fromUs, toUs: Math.max(toUs, fromUs + 1) }
}
