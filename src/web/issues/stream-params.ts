'use client'
import { parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs'
import { useMemo } from 'react'
import { type Range, rangeOf } from './range.ts'

export const sorts = ['last', 'first', 'events', 'users'] as const
export type Sort = (typeof sorts)[number]
/** The words of the API for each sorting. */
export const apiSort: Record<Sort, string> = { last: 'date', first: 'new', events: 'freq', users: 'user' }
export const defaultQuery = 'is:unresolved'

export type StreamParams = { q: string; project: string; env: string; range: Range; sort: Sort }

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

/** The stream's state, all of it in the URL; changes are steps of the history. */
export function useStreamParams(): [StreamParams, (change: ParamChange) => void] {
  const [raw, set] = useQueryStates(parsers, { history: 'push' })
  const { q, project, env, t, from, to, sort } = raw
  const params = useMemo(
    () => ({ q, project, env, sort, range: rangeOf({ t, from, to }) }),
    [q, project, env, sort, t, from, to],
  )
  return [params, (change) => void set(change)]
}

/** The part of the URL that the issue page keeps: the range and the environment. */
export function keptSearch(params: Pick<StreamParams, 'range' | 'env'>): string {
  const search = new URLSearchParams()
  if (params.range.kind === 'absolute') {
    search.set('from', new Date(params.range.fromMs).toISOString())
    search.set('to', new Date(params.range.toMs).toISOString())
  } else if (params.range.period !== '14d') search.set('t', params.range.period)
  if (params.env) search.set('env', params.env)
  const text = search.toString()
  return text ? `?${text}` : ''
}
