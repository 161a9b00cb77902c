'use client'
import { useEffect, useState } from 'react'
import type { RestIssue } from '../../../contract/issues.ts'
import { selectTo } from './rows.ts'

const none: ReadonlySet<string> = new Set()

type RowSelection = { cursorId: string | null; anchorId: string | null; selected: ReadonlySet<string> }

/** Moves the cursor by `step` rows. `select` adds the rows in between to the selection. */
function withCursorMoved(
  selection: RowSelection,
  rows: readonly RestIssue[],
  step: number,
  select: boolean,
): RowSelection {
  const at = rows.findIndex((row) => row.id === selection.cursorId)
  const next = rows[Math.max(0, Math.min(rows.length - 1, at + step))]
  if (!next) return selection
  const selected = select ? selectTo(rows, selection.selected, selection.cursorId, next.id) : selection.selected
  return { cursorId: next.id, anchorId: next.id, selected }
}

/** After a click on a check box or a name, the keys are for the row of the cursor again, not for that element. */
function leaveRow(): void {
  const { activeElement } = document
  if (activeElement instanceof HTMLElement && activeElement.closest('.issue-row')) activeElement.blur()
}

/** Cursor and selection, stored for a return to this list (same organization and search). */
function useStoredSelection(storeKey: string) {
  const [selection, set] = useState<RowSelection>({
    cursorId: null,
    anchorId: null,
    selected: none,
  })
  const [loaded, setLoaded] = useState('')
  useEffect(() => {
    let stored: { cursorId?: unknown; selected?: unknown } = {}
    try {
      stored = JSON.parse(sessionStorage.getItem(storeKey) ?? '{}')
    } catch {
      // The stored value is not JSON: ignore it.
    }
    const selected = Array.isArray(stored.selected)
      ? new Set(stored.selected.filter((id) => typeof id === 'string'))
      : none
    set({ cursorId: typeof stored.cursorId === 'string' ? stored.cursorId : null, anchorId: null, selected })
    setLoaded(storeKey)
  }, [storeKey])
  useEffect(() => {
    if (loaded === storeKey)
      sessionStorage.setItem(
        storeKey,
        JSON.stringify({ cursorId: selection.cursorId, selected: [...selection.selected] }),
      )
  }, [loaded, storeKey, selection])
  return [selection, set] as const
}

/**
 * The row under the cursor and the selected rows, or everything that the search finds (`isAll`). `listQuery` is the list's
 * query as text. `isAll` applies to that query only and ends when the query changes.
 */
export function useSelection(storeKey: string, rows: readonly RestIssue[], listQuery: string) {
  const [selection, set] = useStoredSelection(storeKey)
  // Stores the query, not a boolean. The list stays visible while its query changes, and the next key must not apply to
  // everything that the new query finds.
  const [allOf, setAllOf] = useState<string | undefined>()
  useEffect(() => setAllOf((of) => (of === listQuery ? of : undefined)), [listQuery])
  const { cursorId, selected } = selection
  const isAll = allOf === listQuery && selected.size > 0
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
      if (loaded) setAllOf(listQuery)
      else set((before) => ({ ...before, selected: new Set(rows.map((row) => row.id)) }))
    },
    selectLoaded: () => set((before) => ({ ...before, selected: new Set(rows.map((row) => row.id)) })),
    /** Selects everything that matches at once; `more`: there are rows that are not loaded. */
    selectMatching: (more: boolean) => {
      if (more) setAllOf(listQuery)
      set((before) => ({ ...before, selected: new Set(rows.map((row) => row.id)) }))
    },
    move: (step: number, select: boolean) => {
      leaveRow()
      set((before) => withCursorMoved(before, rows, step, select))
    },
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
