'use client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import type { RestArrivals } from '../../../../../../../contract/projects.ts'
import { ApiError, apiFetch } from '../../../../../../client/api.ts'
import { Button, buttonClass } from '../../../../../../ui/controls.tsx'
import { Link } from '../../../../../../ui/link.tsx'
import { useLive } from '../../../../../../ui/live.tsx'
import { PlainText } from '../../../../../../ui/plain-text.tsx'
import { SeverityShape } from '../../../../../../ui/severity.tsx'
import { Time } from '../../../../../../ui/time.tsx'
import { useToast } from '../../../../../../ui/toast.tsx'
import { type ArrivalRow, arrivalRows, type Step, stepsOf } from './steps.ts'

/** Polling interval, ms. The live stream reports commits at once, but not rejected items. */
const pollMs = 2000

function StepLine({ step, arrivals }: { step: Step; arrivals: RestArrivals | undefined }) {
  const t = useTranslations('arrivals')
  const level = step.state === 'done' ? 'ok' : step.state === 'refused' ? 'error' : 'debug'
  const at = step.id === 'connection' ? arrivals?.connection : step.id === 'grouped' ? arrivals?.firstEvent : null
  return (
    <li className="flex items-baseline gap-3 border-b border-line py-3">
      <SeverityShape level={level} label={t(step.state)} sizePx={11} />
      <div>
        <div className={step.state === 'waiting' ? 'text-ink-2' : 'font-[550]'}>{t(`${step.id}.${step.state}`)}</div>
        {at ? (
          <div className="text-small text-ink-3">
            <Time at={at} />
          </div>
        ) : null}
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

/** The steps to the first event, the reasons of rejected items, and a button that sends a test event. */
export function Arrivals({
  organization,
  project,
  projectId,
  maySend,
}: {
  organization: string
  project: string
  projectId: string
  maySend: boolean
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
  useLive(
    (change) => {
      const arrived = change.kind === 'events' && change.projects.some((project) => project.id === projectId)
      if (arrived || change.kind === 'missed') void client.invalidateQueries({ queryKey: key })
    },
    { atOnce: true },
  )
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
  const { refused, notStored } = arrivalRows(data)
  return (
    <section aria-live="polite" className="min-w-0">
      <h2 className="mb-1">{data?.newestIssue ? t('arrived') : t('waitingTitle')}</h2>
      {error ? (
        <p className="text-error">
          {error instanceof ApiError && error.code !== 'NETWORK' ? error.message : t('noAnswer')}
        </p>
      ) : null}
      <ol>
        {stepsOf(data).map((step) => (
          <StepLine key={step.id} step={step} arrivals={data} />
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
        <Button onClick={sendTest} disabled={sending || !maySend} title={maySend ? undefined : t('mayNotSend')}>
          {t('send')}
        </Button>
      </p>
      <Rows title={t('refusedTitle')} rows={refused} />
      <Rows title={t('notStoredTitle')} rows={notStored} />
    </section>
  )
}
