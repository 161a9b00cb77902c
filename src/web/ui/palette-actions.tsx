'use client'
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef } from 'react'
import type { Choice } from './choice-dialog.tsx'

type Source = () => Choice[]
type Actions = { add(source: Source): () => void; list(): Choice[] }

const Context = createContext<Actions | undefined>(undefined)

/** What the screens offer to the palette: asked when it opens, so that it is about the rows that are selected then. */
export function PaletteActions({ children }: { children: ReactNode }) {
  const sources = useRef(new Set<Source>())
  const actions = useMemo<Actions>(
    () => ({
      add: (source) => {
        sources.current.add(source)
        return () => void sources.current.delete(source)
      },
      list: () => [...sources.current].flatMap((item) => item()),
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

/** What the screens offer now. */
export const usePaletteList = (): (() => Choice[]) => {
  const actions = useContext(Context)
  return () => actions?.list() ?? []
}
