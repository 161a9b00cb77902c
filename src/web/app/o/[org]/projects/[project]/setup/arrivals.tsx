'use client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import type { RestArrivals } from '../../../../../../../contract/projects.ts'
import { ApiError, apiFetch } from '../../../../../../client/api.ts'
import type { PlatformSetup } from '../../../../../../platforms/snippet.ts'
import { Button, buttonClass } from '../../../../../../ui/forms/controls.tsx'
import { Link } from '../../../../../../ui/link.tsx'
import { useLive } from '../../../../../../ui/live.tsx'
import { PlainText } from '../../../../../../ui/plain-text.tsx'
import { SeverityShape } from '../../../../../../ui/severity.tsx'
import { Time } from '../../../../../../ui/time.tsx'
import { useToast } from '../../../../../../ui/toast.tsx'
import { type ArrivalRow, arrivalRows, type Kind, kindsOf } from './kinds.ts'

/** Polling interval, ms. The live stream reports commits at once, but not rejected items. */
const pollMs = 2000

/** The type of the error of src/api/projects/test-event.ts. */
const sampleType = 'MishapTestError'

const levels = { ok: 'ok', waiting: 'debug', warning: 'warning', rejected: 'error' } as const

/** One kind of data: whether it arrives, what is wrong, and the repair. */
function KindLine({ kind, arrivals }: { kind: Kind; arrivals: RestArrivals | undefined }) {
  const t = useTranslations('arrivals')
  const at = kind.id === 'connection' ? arrivals?.connection : null
  const values = { count: kind.quantity ?? 0, version: arrivals?.newestRelease ?? '' }
  return (
    <li className="flex items-baseline gap-3 border-b border-line py-2" data-kind={kind.id} data-state={kind.state}>
      <SeverityShape level={levels[kind.state]} label={t(kind.state)} sizePx={11} />
      <div className="min-w-0 grow">
        <div className="flex flex-wrap justify-between gap-x-3">
          <span className="font-[550]">{t(`${kind.id}.name`)}</span>
          <span className="text-small text-ink-3">{at ? <Time at={at} /> : t(kind.state)}</span>
        </div>
        <div className="break-words text-small text-ink-2">
          <PlainText text={t(`${kind.id}.${kind.text}` as 'errors.ok', values)} charactersMax={300} />
        </div>
      </div>
    </li>
  )
}

function Rows({ title, rows }: { title: string; rows: ArrivalRow[] }) {
  if (rows.length === 0) return null
  return (
    <div className="mt-5">
      <h3 className="mb-1">{title}</h3>
      <ul className="text-small">
        {rows.map((row) => (
          <li key={row.key} className="flex gap-3 border-b border-line py-1">
            <code className="min-w-0 flex-none">{row.itemType}</code>
            <span className="min-w-0 grow text-ink-2">{row.sentence}</span>
            <span className="flex-none">{row.quantity}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Whether each kind of data arrives, the reasons of rejected items, and a button that sends a test event. */
export function Arrivals({
  organization,
  project,
  projectId,
  maySend,
  mayRemove,
  readable,
}: {
  organization: string
  project: string
  projectId: string
  maySend: boolean
  /** Whether this person may delete the sample issue. */
  mayRemove: boolean
  readable: PlatformSetup['readable']
}) {
  const t = useTranslations('arrivals')
  const toast = useToast()
  const client = useQueryClient()
  const [sending, setSending] = useState(false)
  const path = `projects/${encodeURIComponent(organization)}/${encodeURIComponent(project)}/`
  const key = ['arrivals', path]
  const { data, error } = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => apiFetch<RestArrivals>(`${path}arrivals/`, { signal }),
    refetchInterval: pollMs,
  })
  useLive((change) => {
    const arrived = change.kind === 'events' && change.projects.some((project) => project.id === projectId)
    if (arrived || change.kind === 'missed') void client.invalidateQueries({ queryKey: key })
  }, true)
  async function sendTest() {
    setSending(true)
    try {
      await apiFetch(`${path}test-event/`, { method: 'POST', body: {} })
      await client.invalidateQueries({ queryKey: key })
    } catch (failure) {
      const apiError = failure instanceof ApiError ? failure : undefined
      toast({
        kind: 'error',
        text: `${apiError?.message ?? t('sendFailed')} ${apiError?.causes.join(' ') ?? ''}`.trim(),
      })
    } finally {
      setSending(false)
    }
  }
  async function removeSample(id: string) {
    setSending(true)
    try {
      await apiFetch(`${path}issues/`, { method: 'DELETE', query: { id } })
      await client.invalidateQueries({ queryKey: key })
      toast({ text: t('removed') })
    } catch (failure) {
      toast({ kind: 'error', text: failure instanceof ApiError ? failure.message : t('noAnswer') })
    } finally {
      setSending(false)
    }
  }
  const { refused, notStored } = arrivalRows(data)
  return (
    <section aria-live="polite" className="min-w-0">
      <h2 className="mb-1">{t('title')}</h2>
      <p className="text-small text-ink-3">{data?.newestIssue ? t('arrived') : t('waitingTitle')}</p>
      {error ? (
        <p className="text-error">
          {error instanceof ApiError && error.code !== 'NETWORK' ? error.message : t('noAnswer')}
        </p>
      ) : null}
      <ol>
        {kindsOf(data, readable).map((kind) => (
          <KindLine key={kind.id} kind={kind} arrivals={data} />
        ))}
      </ol>
      {data?.newestIssue ? (
        <p className="mt-4">
          <code className="text-ink-3">{data.newestIssue.shortId}</code>{' '}
          <span className="font-[550]">
            <PlainText text={data.newestIssue.title} charactersMax={200} />
          </span>
        </p>
      ) : null}
      <p className="mt-4 flex flex-wrap gap-2">
        {data?.newestIssue ? (
          <Link className={buttonClass({ look: 'main' })} href={`/o/${organization}/issues/${data.newestIssue.id}`}>
            {t('open')}
          </Link>
        ) : null}
        {mayRemove && data?.newestIssue?.title.startsWith(sampleType) ? (
          <Button onClick={() => removeSample(data.newestIssue?.id ?? '')} disabled={sending}>
            {t('removeSample')}
          </Button>
        ) : null}
        <Button onClick={sendTest} disabled={sending || !maySend} title={maySend ? undefined : t('mayNotSend')}>
          {t('send')}
        </Button>
      </p>
      <Rows title={t('refusedTitle')} rows={refused} />
      <Rows title={t('notStoredTitle')} rows={notStored} />
    </section>
  )
}
