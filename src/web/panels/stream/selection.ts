'use client'
import { useEffect, useState } from 'react'
import type { RestIssue } from '../../../contract/issues.ts'
import { selectTo } from './rows.ts'

const none: ReadonlySet<string> = new Set()

type Marks = { cursorId: string | null; anchorId: string | null; selected: ReadonlySet<string> }

/** Moves the cursor by `step` rows. `select` adds the rows in between to the selection. */
function moved(marks: Marks, rows: readonly RestIssue[], step: number, select: boolean): Marks {
  const at = rows.findIndex((row) => row.id === marks.cursorId)
  const next = rows[Math.max(0, Math.min(rows.length - 1, at + step))]
  if (!next) return marks
  const selected = select ? selectTo(rows, marks.selected, marks.cursorId, next.id) : marks.selected
  return { cursorId: next.id, anchorId: next.id, selected }
}

/** Cursor and selection, stored for a return to this list (same organization and search). */
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
      // The stored value is not JSON: ignore it.
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
 * The row under the cursor and the selected rows, or everything that the search finds (`isAll`). `asked` is the list's
 * query as text. `isAll` applies to that query only and ends when the query changes.
 */
export function useSelection(storeKey: string, rows: readonly RestIssue[], asked: string) {
  const [marks, set] = useMarks(storeKey)
  // Stores the query, not a boolean. The list stays visible while its query changes, and the next key must not apply to
  // everything that the new query finds.
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
    /** Selects all loaded rows first, then everything that matches. */
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
