import { beginsBeforeParent } from './trace-clocks.ts'
import { isBoundary, type TraceSpans, textOf } from './trace-spans.ts'
import { childrenOf, extentOf, type TraceTree } from './trace-tree.ts'

/** A time inside a span in which none of its children ran. `network`: the way to a called service, or back. */
export type Gap = {
  node: number
  fromUs: number
  toUs: number
  kind: 'idle' | 'network'
  /** The child that ends the gap; -1 at the end of the span. */
  before: number
}

/** Gaps below both limits are not listed: this part of the trace, and this length in microseconds. */
const gapShareMin = 0.03
const gapUsMin = 2000

type Times = {
  /** Time of each node in which no child ran, microseconds. */
  selfUs: Float64Array
  /** By node in the order of the tree, then by time. */
  gaps: Gap[]
  /**
   * For a call to another service, and for the request of a browser for a page: its time that the service did not spend. -1
   * for any other span. Microseconds.
   */
  networkUs: Float64Array
}

/** The request of a browser for the document of a page load, as newer and older SDKs send it. */
const isDocumentRequest = (spans: TraceSpans, node: number): boolean =>
  textOf(spans, 'ops', node) === 'browser.request' ||
  (textOf(spans, 'ops', node) === 'browser' && textOf(spans, 'names', node) === 'request')

/**
 * The time that the request for a document took and the server did not. The page load is below the span of the server that
 * answered it. -1 without that span, or if it took longer: a page that was built once has the trace of its build.
 */
function documentNetworkOf(spans: TraceSpans, { parents, durations, spanCount }: TraceTree, node: number): number {
  const load = parents[node] ?? -1
  const server = load >= 0 && load < spanCount ? (parents[load] ?? -1) : -1
  if (server < 0 || server >= spanCount || !textOf(spans, 'ops', server).startsWith('http.server')) return -1
  const length = (durations[node] ?? 0) - (durations[server] ?? 0)
  return isBoundary(spans, load, server) && length >= 0 ? length : -1
}

/** The time that a call took and the called service did not; -1 if the node calls no service, or several. */
function networkOf(spans: TraceSpans, tree: TraceTree, node: number, children: Int32Array): number {
  if (node >= tree.spanCount) return -1
  if (isDocumentRequest(spans, node)) return documentNetworkOf(spans, tree, node)
  const [child] = children
  if (children.length !== 1 || child === undefined || child >= tree.spanCount) return -1
  // A server does not call the page load below it.
  const isCall = isBoundary(spans, child, node) && !beginsBeforeParent.test(textOf(spans, 'ops', child))
  return isCall ? Math.max(0, (tree.durations[node] ?? 0) - (tree.durations[child] ?? 0)) : -1
}

/** Self time, gaps and network time of all spans. Linear: each child is looked at once, in the order of start. */
export function timesOf(spans: TraceSpans, tree: TraceTree): Times {
  const selfUs = new Float64Array(tree.nodeCount)
  const networkUs = new Float64Array(tree.nodeCount).fill(-1)
  const gaps: Gap[] = []
  const { fromUs, toUs } = extentOf(tree)
  const least = Math.max(gapUsMin, (toUs - fromUs) * gapShareMin)
  for (const node of tree.order) {
    const start = tree.starts[node] ?? 0
    const end = start + (tree.durations[node] ?? 0)
    const children = childrenOf(tree, node)
    networkUs[node] = networkOf(spans, tree, node, children)
    let [self, covered] = [0, start]
    const kind = (networkUs[node] ?? -1) >= 0 ? 'network' : 'idle'
    const leave = (until: number, before: number) => {
      const length = until - covered
      if (length <= 0) return
      self += length
      const isListed = length >= least && children.length > 0 && node < tree.spanCount
      if (isListed) gaps.push({ node, fromUs: covered, toUs: until, kind, before })
    }
    for (const child of children) {
      const from = tree.starts[child] ?? 0
      leave(Math.min(from, end), child)
      covered = Math.max(covered, Math.min(end, from + (tree.durations[child] ?? 0)))
    }
    leave(end, -1)
    // A missing parent has no time of its own: its own spans did not arrive.
    selfUs[node] = node < tree.spanCount ? self : 0
  }
  return { selfUs, gaps, networkUs }
}

/** Parts of the critical path. Part n is the time `fromUs[n]` to `toUs[n]` of `nodes[n]`, from the end to the start. */
export type CriticalPath = { nodes: number[]; fromUs: number[]; toUs: number[] }

/** The children by end, latest first. */
const byEnd = (tree: TraceTree, node: number): number[] =>
  Array.from(childrenOf(tree, node)).sort(
    (a, b) =>
      (tree.starts[b] ?? 0) + (tree.durations[b] ?? 0) - (tree.starts[a] ?? 0) - (tree.durations[a] ?? 0) || b - a,
  )

/**
 * The critical path of a root: at each moment the innermost span that the end of the root waited for. It goes from the
 * end backwards: into the child that ended last, at the start of that child into the one that ended last before, and so
 * on. A child that still ran when its parent went on was not waited for.
 */
export function criticalPath(tree: TraceTree, root: number | undefined): CriticalPath {
  const path: CriticalPath = { nodes: [], fromUs: [], toUs: [] }
  const add = (node: number, fromUs: number, toUs: number) => {
    if (toUs <= fromUs) return
    path.nodes.push(node)
    path.fromUs.push(fromUs)
    path.toUs.push(toUs)
  }
  if (root === undefined) return path
  const endOf = (node: number) => (tree.starts[node] ?? 0) + (tree.durations[node] ?? 0)
  const open = [{ node: root, atUs: endOf(root), children: byEnd(tree, root), next: 0 }]
  for (let frame = open.at(-1); frame; frame = open.at(-1)) {
    const { node, children } = frame
    const start = tree.starts[node] ?? 0
    let child = children[frame.next++]
    while (child !== undefined && (endOf(child) > frame.atUs || endOf(child) <= start)) child = children[frame.next++]
    if (child === undefined) {
      add(node, start, frame.atUs)
      open.pop()
      continue
    }
    add(node, endOf(child), frame.atUs)
    frame.atUs = Math.max(start, tree.starts[child] ?? 0)
    open.push({ node: child, atUs: endOf(child), children: byEnd(tree, child), next: 0 })
  }
  return path
}

/** The longest root. The critical path of a trace is the path of this root. */
export function mainRoot(tree: TraceTree): number | undefined {
  return tree.roots.reduce<number | undefined>(
    (best, root) => (best === undefined || (tree.durations[root] ?? 0) > (tree.durations[best] ?? 0) ? root : best),
    undefined,
  )
}
