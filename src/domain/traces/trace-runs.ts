import { type TraceSpans, textOf } from './trace-spans.ts'
import { childrenOf, type TraceTree } from './trace-tree.ts'

/** Siblings in a row that do the same: 38 queries of one statement, or 38 times a connection and a query. */
export type Run = {
  /** The first of them, and their place among the children of their parent. */
  first: number
  place: number
  /** Number of spans. */
  count: number
  /** How often they repeat: half of `count` if they are pairs. */
  times: number
  /** The span that stands for all: the first, or of a pair the one whose kind took longer. */
  main: number
  /** Sum of their lengths, microseconds. */
  totalUs: number
}

/** From this many on, repeated siblings are one row. */
const runMin = 5
/** Literals of a statement and ids of an address: they differ between repeats. */
const varying = /'[^']{0,200}'|\b(?:[0-9a-f]{8,64}|[0-9a-f-]{36}|\d+)\b/g

/** A name without what differs between repeats. */
export const normalizedName = (name: string): string => name.replace(varying, '?')

/** Finds the runs of a tree, by the parent. -1 holds the runs of the roots. */
export function runsOf(spans: TraceSpans, tree: TraceTree): Map<number, Run[]> {
  const forms = new Map<number, string>()
  const formOf = (span: number) => {
    const name = spans.names[span] ?? 0
    const known = forms.get(name)
    if (known !== undefined) return known
    const form = normalizedName(textOf(spans, 'names', span))
    forms.set(name, form)
    return form
  }
  const isAlike = (a: number, b: number) =>
    a < tree.spanCount &&
    b < tree.spanCount &&
    spans.ops[a] === spans.ops[b] &&
    spans.projects[a] === spans.projects[b] &&
    spans.segments[a] !== 1 &&
    spans.segments[b] !== 1 &&
    (spans.names[a] === spans.names[b] || formOf(a) === formOf(b))
  const runs = new Map<number, Run[]>()
  /** The run at a place: of single spans, else of pairs. Pools of connections emit a span before each query. */
  const runAt = (children: ArrayLike<number>, place: number): Run | undefined => {
    for (const each of [1, 2]) {
      const [first, second] = [children[place] ?? 0, children[place + 1]]
      if (each === 2 && (second === undefined || isAlike(first, second))) return undefined
      let end = place
      const sums = [0, 0]
      for (let next = children[end]; next !== undefined; next = children[end]) {
        const part = (end - place) % each
        if (end >= place + each && !isAlike(children[place + part] ?? 0, next)) break
        sums[part] = (sums[part] ?? 0) + (tree.durations[next] ?? 0)
        end++
      }
      // Half a pair at the end is a span of its own.
      if ((end - place) % each === 1) sums[0] = (sums[0] ?? 0) - (tree.durations[children[--end] ?? 0] ?? 0)
      const [own = 0, other = 0] = sums
      const times = (end - place) / each
      const main = other > own ? (second ?? first) : first
      if (times >= runMin) return { first, place, count: end - place, times, main, totalUs: own + other }
    }
    return undefined
  }
  const collect = (parent: number, children: ArrayLike<number>) => {
    const found: Run[] = []
    for (let place = 0; place < children.length; ) {
      const run = runAt(children, place)
      if (run) found.push(run)
      place += run?.count ?? 1
    }
    if (found.length > 0) runs.set(parent, found)
  }
  collect(-1, tree.roots)
  for (const node of tree.order) {
    const children = childrenOf(tree, node)
    if (children.length >= runMin) collect(node, children)
  }
  return runs
}
