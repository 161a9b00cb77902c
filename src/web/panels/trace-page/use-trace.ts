'use client'
import { useQueries } from '@tanstack/react-query'
import { useDeferredValue, useEffect, useMemo, useState } from 'react'
import type { RestTraceView } from '../../../contract/explore/trace-views.ts'
import { apiFetch } from '../../client/api.ts'
import { modelOf, type TraceModel } from './model.ts'
import { carried, type Folds, noFolds, type Rows, revealed, rowAt, rowsOf, type Selected } from './rows.ts'
import { attributesMax, matchesOf, parseSearch } from './search.ts'
import { type Clocks, readState, stateQuery, type View, type ViewState } from './view-state.ts'
import { fitted, isWhole, type Window, within, zoomed } from './zoom.ts'

export type TraceControls = {
  organization: string
  model: TraceModel
  whole: Window
  window: Window
  setWindow(window: Window): void
  zoom(direction: 'in' | 'out', aroundUs?: number): void
  fit(): void
  fitSelected(): void
  view: View
  setView(view: View): void
  q: string
  setQ(q: string): void
  /** Matching nodes in the order of the tree; undefined without a search. */
  matches: Int32Array | undefined
  /** The search asks the server for an attribute and waits. */
  isSearching: boolean
  colour: 'project' | 'op'
  setColour(colour: 'project' | 'op'): void
  clocks: Clocks
  setClocks(clocks: Clocks): void
  rows: Rows
  folds: Folds
  toggle(kind: 'node' | 'run', ref: number): void
  selected: Selected | undefined
  select(selected: Selected | undefined): void
  /** Selects a node and opens what hides it. */
  reveal(node: number): void
  /** Selects the next or previous visible row. */
  step(by: 1 | -1): void
  /** Opens or closes the selected row, or goes to its first child or its parent. */
  open(): void
  close(): void
  stepMatch(by: 1 | -1): void
  nextError(): void
}

/** Writes the state into the address, so that the address is the link to share. */
function useAddress(state: ViewState): void {
  const query = stateQuery(state)
  useEffect(() => {
    // A zoom changes the state in each frame, and browsers limit how often the address may change.
    const timer = window.setTimeout(() => {
      if (window.location.search !== query) window.history.replaceState(null, '', `${window.location.pathname}${query}`)
    }, 200)
    return () => window.clearTimeout(timer)
  }, [query])
}

/** The spans of each attribute, once the server has answered for all of them. */
const combinedIds = (answers: readonly { data: { spanIds: string[] } | undefined; isFetching: boolean }[]) => ({
  ids: answers.every(({ data }) => data) ? answers.map(({ data }) => new Set(data?.spanIds)) : undefined,
  isSearching: answers.some(({ isFetching }) => isFetching),
})

/** The matches of the search, and whether it still waits for the server. */
function useMatches(organization: string, model: TraceModel, q: string) {
  const typed = useDeferredValue(q)
  const search = useMemo(() => parseSearch(typed), [typed])
  const { traceID } = model.view
  const { ids, isSearching } = useQueries({
    queries: (search?.attributes ?? []).slice(0, attributesMax).map(({ key, value }) => ({
      queryKey: ['trace-matches', organization, traceID, key, value],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        apiFetch<{ spanIds: string[] }>(`organizations/${organization}/trace/${traceID}/matches/`, {
          query: { key, value },
          signal,
        }),
      staleTime: 60_000,
    })),
    combine: combinedIds,
  })
  const matches = useMemo(() => (search ? matchesOf(model, search, ids) : undefined), [model, search, ids])
  return { matches, isSearching }
}

/** The place of the first entry of a sorted list that is after `rank`, or before it. -1: none. */
function neighbour(list: readonly number[], rank: number, by: 1 | -1): number {
  const places = [...list.keys()]
  return by > 0
    ? places.findIndex((at) => (list[at] ?? 0) > rank)
    : places.findLastIndex((at) => (list[at] ?? 0) < rank)
}

const nodeOf = (model: TraceModel, selected: Selected | undefined): number =>
  selected === undefined
    ? -1
    : selected.kind === 'point'
      ? (model.points[selected.ref]?.node ?? -1)
      : selected.kind === 'gap'
        ? (model.tree.parents[selected.ref] ?? -1)
        : selected.ref

/** The next match after the selected row in the order of the tree; the first one after the last. */
function useSteps(
  model: TraceModel,
  matches: Int32Array | undefined,
  selected: Selected | undefined,
  {
    reveal,
    select,
    setFolds,
  }: Pick<TraceControls, 'reveal' | 'select'> & { setFolds(change: (folds: Folds) => Folds): void },
) {
  const ranks = useMemo(() => {
    const rank = new Int32Array(model.tree.nodeCount)
    for (const [at, node] of model.tree.order.entries()) rank[node] = at
    return rank
  }, [model])
  return {
    stepMatch(by: 1 | -1) {
      if (!matches || matches.length === 0) return
      const here = selected ? (ranks[nodeOf(model, selected)] ?? -1) : -1
      const at = neighbour(
        Array.from(matches, (node) => ranks[node] ?? 0),
        here,
        by,
      )
      reveal(matches[at >= 0 ? at : by > 0 ? 0 : matches.length - 1] ?? 0)
    },
    nextError() {
      const errors = [...model.points.keys()].filter((at) => model.points[at]?.kind === 'error')
      if (errors.length === 0) return
      const here = selected?.kind === 'point' ? selected.ref : -1
      const next = errors.find((at) => at > here) ?? errors[0] ?? 0
      const node = model.points[next]?.node ?? -1
      if (node >= 0)
        setFolds((folds) => {
          const open = revealed(model, folds, node)
          return { ...open, closed: new Set([...open.closed].filter((closed) => closed !== node)) }
        })
      select({ kind: 'point', ref: next })
    },
  }
}

function flipped(set: ReadonlySet<number>, ref: number): ReadonlySet<number> {
  const next = new Set(set)
  if (!next.delete(ref)) next.add(ref)
  return next
}

/** Moving through the rows by keys. */
function stepsOf(
  rows: Rows,
  folds: Folds,
  selected: Selected | undefined,
  { select, toggle }: Pick<TraceControls, 'select' | 'toggle'>,
): Pick<TraceControls, 'step' | 'open' | 'close'> {
  const here = selected ? rowAt(rows, selected.kind, selected.ref) : -1
  const selectRow = (row: number) => {
    const [kind, ref] = [rows.kinds[row], rows.refs[row]]
    if (kind !== undefined && kind !== 'band' && ref !== undefined) select({ kind, ref })
  }
  const isOpen =
    selected?.kind === 'run'
      ? folds.openRuns.has(selected.ref)
      : selected?.kind === 'node' && !folds.closed.has(selected.ref)
  const hasBelow = (rows.depths[here + 1] ?? 0) > (rows.depths[here] ?? 0)
  return {
    step(by) {
      let row = here + by
      while (rows.kinds[row] === 'band') row += by
      selectRow(row)
    },
    open() {
      if (selected?.kind !== 'node' && selected?.kind !== 'run') return
      if (!isOpen) toggle(selected.kind, selected.ref)
      else if (hasBelow) selectRow(rows.kinds[here + 1] === 'band' ? here + 2 : here + 1)
    },
    close() {
      if (!selected) return
      if (isOpen && hasBelow && (selected.kind === 'node' || selected.kind === 'run')) {
        toggle(selected.kind, selected.ref)
        return
      }
      const depth = rows.depths[here] ?? 0
      let row = here - 1
      while (row >= 0 && ((rows.depths[row] ?? 0) >= depth || rows.kinds[row] === 'band')) row--
      selectRow(row)
    },
  }
}

/** What is open and selected. It starts at the span of the link, and follows the spans when later ones arrive. */
function useChosen(model: TraceModel, startSpan: string) {
  const { view } = model
  const startNode = startSpan ? view.spans.ids.indexOf(startSpan) : -1
  const [folds, setFolds] = useState(() => (startNode >= 0 ? revealed(model, noFolds, startNode) : noFolds))
  const [selected, select] = useState<Selected | undefined>(
    startNode >= 0 ? { kind: 'node', ref: startNode } : undefined,
  )
  const [knownView, setKnownView] = useState(view)
  if (knownView !== view) {
    // Spans that arrive later change the numbers of the nodes. React renders again before it shows anything.
    const next = carried(knownView, view, folds, selected)
    setKnownView(view)
    setFolds(next.folds)
    select(next.selected)
  }
  const toggle: TraceControls['toggle'] = (kind, ref) =>
    setFolds((now) =>
      kind === 'node' ? { ...now, closed: flipped(now.closed, ref) } : { ...now, openRuns: flipped(now.openRuns, ref) },
    )
  const reveal = (node: number) => {
    setFolds((now) => revealed(model, now, node))
    select({ kind: 'node', ref: node })
  }
  return { folds, setFolds, selected, select, toggle, reveal }
}

/** The state of the page: what is shown, selected, opened and searched, and the ways to change it. */
export function useTrace(organization: string, view: RestTraceView, initialQuery: string): TraceControls {
  const initial = useMemo(() => readState(new URLSearchParams(initialQuery)), [initialQuery])
  const [clocks, setClocks] = useState(initial.clocks)
  const model = useMemo(() => modelOf(view, clocks), [view, clocks])
  const whole = useMemo(() => ({ fromUs: model.fromUs, toUs: model.toUs }), [model])
  const [shownView, setView] = useState(initial.view)
  const [q, setQ] = useState(initial.q)
  const [colour, setColour] = useState(initial.colour)
  const [zoomWindow, setZoom] = useState(initial.window)
  const { folds, setFolds, selected, select, toggle, reveal } = useChosen(model, initial.span)
  const rows = useMemo(() => rowsOf(model, folds), [model, folds])
  const shown = zoomWindow ? within(zoomWindow, whole) : whole
  const { matches, isSearching } = useMatches(organization, model, q)
  const setWindow = (next: Window) => setZoom(isWhole(next, whole) ? undefined : within(next, whole))
  const node = nodeOf(model, selected)
  const isSpan =
    selected !== undefined && (selected.kind === 'node' || selected.kind === 'run') && node < model.tree.spanCount
  useAddress({
    span: isSpan ? (view.spans.ids[node] ?? '') : '',
    view: shownView,
    q,
    window: zoomWindow && shown,
    colour,
    clocks,
  })
  const fitNode = (at: number) => {
    const start = model.tree.starts[at] ?? 0
    setWindow(fitted({ fromUs: start, toUs: start + (model.tree.durations[at] ?? 0) }, whole))
  }
  return {
    organization,
    model,
    whole,
    window: shown,
    setWindow,
    zoom: (direction, aroundUs) => setWindow(zoomed(shown, whole, direction, aroundUs)),
    fit: () => setZoom(undefined),
    fitSelected: () => (node >= 0 ? fitNode(node) : undefined),
    view: shownView,
    setView,
    q,
    setQ,
    matches,
    isSearching,
    colour,
    setColour,
    clocks,
    setClocks,
    rows,
    folds,
    toggle,
    selected,
    select,
    reveal,
    ...stepsOf(rows, folds, selected, { select, toggle }),
    ...useSteps(model, matches, selected, { reveal, select, setFolds }),
  }
}
