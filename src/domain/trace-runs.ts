import { type TraceSpans, textOf } from './trace-spans.ts'
import { childrenOf, type TraceTree } from './trace-tree.ts'

/** Siblings in a row that do the same: 38 queries of one statement. */
export type Run = {
  /** The first of them, and their place among the children of their parent. */
  first: number
  place: number
  count: number
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
  const collect = (parent: number, children: ArrayLike<number>) => {
    const found: Run[] = []
    for (let place = 0; place < children.length; ) {
      const first = children[place] ?? 0
      let end = place + 1
      let totalUs = tree.durations[first] ?? 0
      for (let next = children[end]; next !== undefined && isAlike(first, next); next = children[end]) {
        totalUs += tree.durations[next] ?? 0
        end++
      }
      if (end - place >= runMin) found.push({ first, place, count: end - place, totalUs })
      place = end
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
