'use client'
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef } from 'react'
import type { Choice } from './forms/choice-dialog.tsx'

type Source = () => Choice[]
type Actions = { add(source: Source): () => void; list(): Choice[] }

const Context = createContext<Actions | undefined>(undefined)

/** Collects the screens' actions for the palette. Sources are called when it opens, to use the current selection. */
export function PaletteActions({ children }: { children: ReactNode }) {
  const sources = useRef(new Set<Source>())
  const actions = useMemo<Actions>(
    () => ({
      add: (source) => {
        sources.current.add(source)
        return () => void sources.current.delete(source)
      },
      list: () => [...sources.current].flatMap((source) => source()),
    }),
    [],
  )
  return <Context value={actions}>{children}</Context>
}

/** Offers actions to the palette while the component is mounted. */
export function usePaletteActions(source: Source): void {
  const actions = useContext(Context)
  const latest = useRef(source)
  latest.current = source
  useEffect(() => actions?.add(() => latest.current()), [actions])
}

/** Returns a function for the actions that the screens offer now. */
export const usePaletteList = (): (() => Choice[]) => {
  const actions = useContext(Context)
  return () => actions?.list() ?? []
}
