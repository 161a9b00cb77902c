'use client'
import { useEffect, useState } from 'react'
import type { RestIssue } from '../../../contract/issues.ts'
import { selectTo } from './rows.ts'

const none: ReadonlySet<string> = new Set()

type Marks = { cursorId: string | null; anchorId: string | null; selected: ReadonlySet<string> }

/** The marks with the cursor `step` rows further; `select` takes in what lies between. */
function moved(marks: Marks, rows: readonly RestIssue[], step: number, select: boolean): Marks {
  const at = rows.findIndex((row) => row.id === marks.cursorId)
  const next = rows[Math.max(0, Math.min(rows.length - 1, at + step))]
  if (!next) return marks
  const selected = select ? selectTo(rows, marks.selected, marks.cursorId, next.id) : marks.selected
  return { cursorId: next.id, anchorId: next.id, selected }
}

/** Cursor and selection, kept for a return to this list (same organization, same search). */
function useMarks(storeKey: string) {
  const [marks, set] = useState<Marks>({
    cursorId: null,
    anchorId: null,
    selected: none,
  })
  const [loaded, setLoaded] = useState('')
  useEffect(() => {
    let kept: { cursorId?: unknown; selected?: unknown } = {}
    try {
      kept = JSON.parse(sessionStorage.getItem(storeKey) ?? '{}')
    } catch {
      // What somebody else wrote there is no selection.
    }
    const selected = Array.isArray(kept.selected) ? new Set(kept.selected.filter((id) => typeof id === 'string')) : none
    set({ cursorId: typeof kept.cursorId === 'string' ? kept.cursorId : null, anchorId: null, selected })
    setLoaded(storeKey)
  }, [storeKey])
  useEffect(() => {
    if (loaded === storeKey)
      sessionStorage.setItem(storeKey, JSON.stringify({ cursorId: marks.cursorId, selected: [...marks.selected] }))
  }, [loaded, storeKey, marks])
  return [marks, set] as const
}

/**
 * Which row the keys are at, and which are selected: some of them, or everything that the search finds (`isAll`). `asked`
 * is the question of the list as text: everything means what this one finds, and with another one nothing of it is left.
 */
export function useSelection(storeKey: string, rows: readonly RestIssue[], asked: string) {
  const [marks, set] = useMarks(storeKey)
  // The query that it is for, not a boolean: the list stays on screen when its query changes, and the next
  // key would be for everything that the new one finds.
  const [allOf, setAllOf] = useState<string | undefined>()
  useEffect(() => setAllOf((of) => (of === asked ? of : undefined)), [asked])
  const { cursorId, selected } = marks
  const isAll = allOf === asked && selected.size > 0
  const loaded = rows.length > 0 && rows.every((row) => selected.has(row.id))
  return {
    cursorId,
    selected,
    isAll,
    loaded,
    cursor: rows.find((row) => row.id === cursorId),
    goTo: (id: string) => set((before) => ({ ...before, cursorId: id })),
    unselect: () => {
      setAllOf(undefined)
      set((before) => ({ ...before, selected: none }))
    },
    /** First all rows that are loaded, then all that match. */
    selectAll: () => {
      if (loaded) setAllOf(asked)
      else set((before) => ({ ...before, selected: new Set(rows.map((row) => row.id)) }))
    },
    move: (step: number, select: boolean) => set((before) => moved(before, rows, step, select)),
    check: (issue: RestIssue, withShift: boolean) => {
      setAllOf(undefined)
      set((before) => {
        const next = withShift ? selectTo(rows, before.selected, before.anchorId, issue.id) : new Set(before.selected)
        if (!withShift && !next.delete(issue.id)) next.add(issue.id)
        return { cursorId: issue.id, anchorId: issue.id, selected: next }
      })
    },
  }
}
