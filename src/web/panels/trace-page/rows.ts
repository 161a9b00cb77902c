import type { Run } from '../../../domain/traces/trace-runs.ts'
import { childrenOf } from '../../../domain/traces/trace-tree.ts'
import { type Point, runOfNode, type TraceModel } from './model.ts'

/** `ref` is a node, for a run its first node, for a gap its node or the child after it, for a point its number. */
type RowKind = 'band' | 'node' | 'run' | 'gap' | 'endGap' | 'point'

/** The visible rows as columns. */
export type Rows = { kinds: RowKind[]; refs: number[]; depths: number[] }

/** What a person opened and closed. Runs are named by their first node. */
export type Folds = { closed: ReadonlySet<number>; openRuns: ReadonlySet<number> }

export const noFolds: Folds = { closed: new Set(), openRuns: new Set() }

type Frame = {
  node: number
  children: ArrayLike<number>
  at: number
  points: readonly Point[]
  pointAt: number
  runs: readonly Run[]
  runAt: number
  /** The members of an open run up to this place are one level deeper. */
  deeperUntil: number
  isEndGapDone: boolean
  depth: number
}

const frameOf = (model: TraceModel, node: number, depth: number): Frame => ({
  node,
  children: node < 0 ? model.tree.roots : childrenOf(model.tree, node),
  at: 0,
  points: model.pointsOf.get(node) ?? [],
  pointAt: 0,
  runs: model.runs.get(node) ?? [],
  runAt: 0,
  deeperUntil: 0,
  isEndGapDone: false,
  depth,
})

/** Whether a node has rows below it. */
export const isBranch = (model: TraceModel, node: number): boolean =>
  (model.tree.firstChild[node + 1] ?? 0) > (model.tree.firstChild[node] ?? 0) || model.pointsOf.has(node)

/**
 * The rows of the waterfall: each node before its children, errors and gaps at their time among them, and a band where
 * another process begins. One pass with a stack of its own: a trace can be a chain of 200,000 spans.
 */
export function rowsOf(model: TraceModel, { closed, openRuns }: Folds): Rows {
  const { tree, points } = model
  const rows: Rows = { kinds: [], refs: [], depths: [] }
  const numberOf = new Map(points.map((point, number) => [point, number]))
  const add = (kind: RowKind, ref: number, depth: number) => {
    rows.kinds.push(kind)
    rows.refs.push(ref)
    rows.depths.push(depth)
  }
  const open = [frameOf(model, -1, 0)]
  const step = (frame: Frame) => {
    const child = frame.children[frame.at]
    const point = frame.points[frame.pointAt]
    if (point && (child === undefined || point.atUs < (tree.starts[child] ?? 0))) {
      frame.pointAt++
      add('point', numberOf.get(point) ?? 0, frame.depth)
      return
    }
    if (child === undefined) {
      if (!frame.isEndGapDone && model.gapsAtEnd.has(frame.node)) add('endGap', frame.node, frame.depth)
      open.pop()
      return
    }
    if (model.gapsBefore.has(child) && frame.at >= frame.deeperUntil) add('gap', child, frame.depth)
    const run = frame.runs[frame.runAt]
    if (run?.place === frame.at) {
      frame.runAt++
      add('run', run.first, frame.depth)
      if (openRuns.has(run.first)) frame.deeperUntil = run.place + run.count
      else {
        frame.at += run.count
        return
      }
    }
    const depth = frame.depth + (frame.at < frame.deeperUntil ? 1 : 0)
    frame.at++
    if (model.bands[child] === child) add('band', child, depth)
    add('node', child, depth)
    if (isBranch(model, child) && !closed.has(child)) open.push(frameOf(model, child, depth + 1))
  }
  for (let frame = open.at(-1); frame; frame = open.at(-1)) step(frame)
  return rows
}

/** The folds with everything opened that hides a node. */
export function revealed(model: TraceModel, folds: Folds, node: number): Folds {
  const closed = new Set(folds.closed)
  const openRuns = new Set(folds.openRuns)
  for (let at = node; at >= 0; at = model.tree.parents[at] ?? -1) {
    if (at !== node) closed.delete(at)
    const run = runOfNode(model, at)
    if (run) openRuns.add(run.first)
  }
  return { closed, openRuns }
}

/** What a person chose: a row that is no band. */
export type Selected = { kind: Exclude<RowKind, 'band'>; ref: number }

/**
 * The folds and the selection after spans arrived later: nodes are numbers by start, so they change. A span is found
 * again by its id. Undefined for what cannot be found again.
 */
export function carried(
  before: TraceModel['view'],
  after: TraceModel['view'],
  folds: Folds,
  selected: Selected | undefined,
): { folds: Folds; selected: Selected | undefined } {
  const moved = (node: number): number => {
    const id = before.spans.ids[node]
    return id === undefined ? -1 : after.spans.ids.indexOf(id)
  }
  const all = (nodes: ReadonlySet<number>) => new Set([...nodes].map(moved).filter((node) => node >= 0))
  const ref = selected && selected.kind !== 'point' ? moved(selected.ref) : -1
  return {
    folds: { closed: all(folds.closed), openRuns: all(folds.openRuns) },
    selected: selected && ref >= 0 ? { kind: selected.kind, ref } : undefined,
  }
}

/** The row of something, -1 if it is not visible. */
export function rowAt({ kinds, refs }: Rows, kind: RowKind, ref: number): number {
  for (let row = refs.indexOf(ref); row >= 0; row = refs.indexOf(ref, row + 1)) if (kinds[row] === kind) return row
  return -1
}
