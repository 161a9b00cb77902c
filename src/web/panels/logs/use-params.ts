'use client'
import { parseAsString, useQueryStates } from 'nuqs'
import { useMemo } from 'react'
import { type LogParams, logParams } from './params.ts'

const names = ['q', 'project', 'env', 't', 'from', 'to', 'mode', 'columns', 'fields', 'live', 'line'] as const
const parsers = {
  q: parseAsString,
  project: parseAsString,
  env: parseAsString,
  t: parseAsString,
  from: parseAsString,
  to: parseAsString,
  mode: parseAsString,
  columns: parseAsString,
  fields: parseAsString,
  live: parseAsString,
  line: parseAsString,
}

type LogChange = Partial<Record<(typeof names)[number], string | null>>
/** `replace`: no entry of the history, for what a reader does not go back to. */
export type ChangeLogs = (change: LogChange, history?: 'push' | 'replace') => void

/** The state of the screen, stored in the URL. */
export function useLogParams(): [LogParams, ChangeLogs] {
  const [raw, set] = useQueryStates(parsers, { history: 'push' })
  const params = useMemo(() => logParams(raw), [raw])
  return [
    params,
    // An empty search stays in the address, because the address without parameters opens the default view.
    (change, history = 'push') =>
      void set(
        { ...change, ...('q' in change ? { q: change.q ?? '' } : raw.q === null ? { q: '' } : {}) },
        { history },
      ),
  ]
}
