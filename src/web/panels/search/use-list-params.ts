'use client'
import { parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs'
import { useMemo } from 'react'
import { defaultQuery, type ListParams, type Sort, sorts } from './list-params.ts'
import { rangeOf } from './range.ts'

const parsers = {
  q: parseAsString.withDefault(defaultQuery).withOptions({ clearOnDefault: true }),
  project: parseAsString.withDefault(''),
  env: parseAsString.withDefault(''),
  t: parseAsString,
  from: parseAsString,
  to: parseAsString,
  sort: parseAsStringLiteral(sorts).withDefault('last'),
}

export type ParamChange = {
  q?: string
  project?: string
  env?: string
  t?: string | null
  from?: string | null
  to?: string | null
  sort?: Sort
}

/** The stream's state, stored in the URL. Each change is a history entry. */
export function useListParams(): [ListParams, (change: ParamChange) => void] {
  const [raw, set] = useQueryStates(parsers, { history: 'push' })
  const { q, project, env, t, from, to, sort } = raw
  const params = useMemo(
    () => ({ q, project, env, sort, range: rangeOf({ t, from, to }) }),
    [q, project, env, sort, t, from, to],
  )
  return [params, (change) => void set(change)]
}
