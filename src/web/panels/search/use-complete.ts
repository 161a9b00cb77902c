'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'next-intl'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { messageKeyOf } from '../../../query/search.ts'
import { apiFetch } from '../../client/api.ts'
import { useSettled } from '../../ui/use-settled.ts'
import {
  type CompletionData,
  caretContextOf,
  issueKeys,
  type KeyTable,
  needsServerValues,
  readRecent,
  recentLines,
  type Suggestion,
  suggestionsFor,
  withRecent,
} from './complete.ts'

/** Delay after the last key before the server is asked, ms. The next key drops a pending response. */
const pauseMs = 120
const fresh = { staleTime: 60_000, retry: false, refetchOnWindowFocus: false } as const

/** The projects and environments of the list, to limit completion. */
export type CompletionScope = { project?: readonly string[] | undefined; environment?: readonly string[] | undefined }

/** The data whose values the server lists, where that is not spans. */
const itemTypes: Readonly<Record<string, { itemType: string }>> = {
  logs: { itemType: 'logs' },
  metrics: { itemType: 'tracemetrics' },
}

type TagKey = { key: string }
type Value = { value: string; count: number | null }

/** Recent searches in this organization, stored by the browser. */
function useRecent(organization: string) {
  const key = `searches:${organization}`
  const [recent, set] = useState<string[]>([])
  useEffect(() => {
    try {
      set(readRecent(localStorage.getItem(key)))
    } catch {
      // No access to storage: no recent searches.
    }
  }, [key])
  const remember = useCallback(
    (text: string) => {
      try {
        // Another tab may have stored a search meanwhile.
        const next = withRecent(readRecent(localStorage.getItem(key)), text)
        set(next)
        localStorage.setItem(key, JSON.stringify(next))
      } catch {
        // Storage is full or not allowed: keep the list of this page.
      }
    },
    [key],
  )
  return { recent, remember }
}

/** The suggestions at the caret of a text. Asks the server only while `open`. */
export function useComplete({
  organization,
  scope,
  text,
  caret,
  open,
  table = issueKeys,
}: {
  organization: string
  scope: CompletionScope
  text: string
  caret: number
  open: boolean
  table?: KeyTable | undefined
}): { lines: Suggestion[]; waiting: boolean; remember: (text: string) => void } {
  const search = useTranslations('search')
  const spans = useTranslations('spans')
  const routes = useTranslations('performance')
  const logs = useTranslations('logs')
  const metrics = useTranslations('metrics')
  const t = { search, spans, performance: routes, logs, metrics }[table.words]
  const { dataset } = table
  const { recent, remember } = useRecent(dataset ? `${organization}:${dataset}` : organization)
  const caretContext = useMemo(() => caretContextOf(text, caret), [text, caret])
  const needsValues = open && needsServerValues(caretContext, table)
  const typed = useSettled(needsValues ? caretContext.typed : '', pauseMs)
  const key = needsValues ? caretContext.key : ''
  const keys = useQuery({
    queryKey: ['tag-keys', organization, scope, dataset],
    queryFn: ({ signal }) =>
      apiFetch<TagKey[]>(`organizations/${organization}/tags/`, { query: { ...scope, dataset }, signal }),
    enabled: open && !table.closed,
    ...fresh,
  })
  const values = useQuery({
    queryKey: ['tag-values', organization, scope, key, typed, dataset],
    queryFn: ({ signal }) =>
      apiFetch<Value[]>(
        `organizations/${organization}/${dataset ? 'trace-items/attributes' : 'tags'}/${encodeURIComponent(key)}/values/`,
        {
          query: { ...scope, query: typed, limit: 12, ...(itemTypes[dataset ?? ''] ?? {}) },
          signal,
        },
      ),
    enabled: needsValues,
    // Keep old values of the same key only: those of another key would be wrong.
    placeholderData: (before, query) => (query?.queryKey[3] === key ? before : undefined),
    ...fresh,
  })
  const completionData = useMemo<CompletionData>(
    () => ({ tagKeys: (keys.data ?? []).map((tag) => tag.key), values: needsValues ? (values.data ?? []) : [] }),
    [keys.data, values.data, needsValues],
  )
  const lines = useMemo(() => {
    if (!open) return []
    const offered = suggestionsFor(
      caretContext,
      completionData,
      (searchKey) => t(`key.${messageKeyOf(searchKey)}`),
      table,
    )
    return text.trim() === '' ? [...recentLines(recent, text), ...offered] : offered
  }, [open, caretContext, completionData, recent, text, t, table])
  return { lines, waiting: needsValues && values.isFetching && values.data === undefined, remember }
}
