'use client'
import './exports.css'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useLocale, useTranslations } from 'next-intl'
import { useState } from 'react'
import type { Plan } from '../../../contract/explore/explore.ts'
import type { RestExport } from '../../../contract/explore/exports.ts'
import { type ExportFormat, exportFormats } from '../../../domain/exports.ts'
import { withBase } from '../../base-path.ts'
import { ApiError, apiFetch } from '../../client/api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Button } from '../../ui/forms/controls.tsx'
import { measureText } from '../../ui/measure.ts'
import { Segments } from '../../ui/segments.tsx'
import { Time } from '../../ui/time.tsx'
import { type ProjectName, projectIdsOf } from '../search/list-params.ts'
import type { Range } from '../search/range.ts'

const pollMs = 1000
const isOpen = ({ state }: RestExport) => state === 'waiting' || state === 'running'

/** What the screen shows: its projects and environments as in its URL, and its range. */
type ExportScope = { project: string; env: string; range: Range }

/** What to write to a file. Without series the plan is rows. */
export type ExportParts = {
  organization: string
  plan: Plan
  scope: ExportScope
  projects: readonly ProjectName[]
}

/** The query string of a REST call over the scope of the page. */
const scopeOf = ({ project, env, range }: ExportScope, projects: readonly ProjectName[]) => ({
  project: projectIdsOf(project, projects),
  environment: env === '' ? [] : env.split(','),
  ...(range.kind === 'relative'
    ? { statsPeriod: range.period }
    : { start: new Date(range.fromMs).toISOString(), end: new Date(range.toMs).toISOString() }),
})

/** One export: its progress, its file, or why there is none. */
function Line({ value, remove }: { value: RestExport; remove: () => void }) {
  const t = useTranslations('explore.exports')
  const locale = useLocale()
  const number = new Intl.NumberFormat(locale)
  const measure = measureText(locale)
  const rows =
    value.rowsTotal === null || !isOpen(value)
      ? t('rows', { count: value.rows })
      : t('rowsOf', { count: number.format(value.rows), total: number.format(value.rowsTotal) })
  return (
    <li className="export-line">
      <div>
        <b>{value.fileName}</b>{' '}
        <span className="text-ink-3">
          {t(`states.${value.state}`)} · {rows}
          {value.bytes > 0 ? ` · ${measure(value.bytes, 'byte')}` : ''}
        </span>
        {isOpen(value) ? (
          <progress
            aria-label={value.fileName}
            max={Math.max(1, value.rowsTotal ?? 1)}
            {...(value.rowsTotal === null ? {} : { value: Math.min(value.rows, value.rowsTotal) })}
          />
        ) : null}
        {value.error ? <p className="text-error">{value.error}</p> : null}
        {value.dateExpires ? (
          <p className="text-ink-3">
            {t('until')} <Time at={Date.parse(value.dateExpires)} form="minute" />
          </p>
        ) : null}
      </div>
      {value.downloadUrl ? (
        <a className="link" href={withBase(value.downloadUrl)} download>
          {t('download')}
        </a>
      ) : null}
      <Button
        look="plain"
        compact
        aria-label={t(isOpen(value) ? 'cancelNamed' : 'deleteNamed', { name: value.fileName })}
        onClick={remove}
      >
        {t(isOpen(value) ? 'cancel' : 'delete')}
      </Button>
    </li>
  )
}

/** The person's exports, asked again while one has not ended. */
function useExports(organization: string) {
  const t = useTranslations('explore.exports')
  const client = useQueryClient()
  const [error, setError] = useState('')
  const path = `organizations/${organization}/exports/`
  const key = ['exports', organization]
  const { data, isPending } = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => apiFetch<RestExport[]>(path, { signal }),
    refetchInterval: ({ state }) => (state.data?.some(isOpen) ? pollMs : false),
    retry: false,
  })
  const act = async (run: () => Promise<unknown>) => {
    try {
      await run()
      setError('')
    } catch (failure) {
      setError(failure instanceof ApiError ? failure.message : t('failed'))
    } finally {
      await client.invalidateQueries({ queryKey: key })
    }
  }
  return { values: data ?? [], isPending, error, act, path }
}

/** Writes every row of the query, or its groups, to a file, and lists the person's exports. */
export function ExportDialog({ organization, plan, scope, projects, onClose }: ExportParts & { onClose: () => void }) {
  const t = useTranslations('explore.exports')
  const [format, setFormat] = useState<ExportFormat>('csv')
  const { values, isPending, error, act, path } = useExports(organization)
  const start = () =>
    act(() => apiFetch(path, { method: 'POST', query: scopeOf(scope, projects), body: { plan, format } }))
  return (
    <Dialog title={t('title')} onClose={onClose}>
      <p className="text-ink-2">{t(plan.series.length === 0 ? 'ofRows' : 'ofGroups')}</p>
      <div className="export-form">
        <Segments
          label={t('format')}
          value={format}
          choices={exportFormats.map((value) => ({ value, label: t(`formats.${value}`) }))}
          onChange={setFormat}
        />
        <Button look="main" compact onClick={() => void start()}>
          {t('start')}
        </Button>
      </div>
      {error ? (
        <p role="alert" className="text-error">
          {error}
        </p>
      ) : null}
      <ul className="exports" aria-label={t('list')} aria-live="polite">
        {values.map((value) => (
          <Line
            key={value.id}
            value={value}
            remove={() => void act(() => apiFetch(`${path}${value.id}/`, { method: 'DELETE' }))}
          />
        ))}
      </ul>
      {!isPending && values.length === 0 ? <p className="text-ink-3">{t('none')}</p> : null}
    </Dialog>
  )
}
