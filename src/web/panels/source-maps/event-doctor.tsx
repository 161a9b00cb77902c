'use client'
import './doctor.css'
import { useQuery } from '@tanstack/react-query'
import { Check, Minus, X } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import type { DoctorFile, DoctorFinding, DoctorStep, EventDiagnosis } from '../../../domain/doctor.ts'
import { ApiError, apiFetch, isTemporary } from '../../client/api.ts'
import { Button } from '../../ui/forms/controls.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Finding } from './doctor-finding.tsx'

function Step({ step: { step, state, found } }: { step: DoctorStep }) {
  const t = useTranslations('doctor')
  const StateIcon = state === 'ok' ? Check : state === 'failed' ? X : Minus
  return (
    <li data-state={state}>
      <span className="doctor-mark">
        <StateIcon size={14} aria-hidden="true" />
      </span>
      <span>{t(`step.${step}`)}</span>
      <span>
        <span className={state === 'ok' && found !== '' ? 'visually-hidden' : undefined}>{t(`state_${state}`)}</span>{' '}
        {found === '' ? null : (
          <code>
            <PlainText text={found} charactersMax={300} />
          </code>
        )}
      </span>
    </li>
  )
}

function File({ file, shown }: { file: DoctorFile; shown: DoctorFinding | null }) {
  const t = useTranslations('doctor')
  const { state, finding } = file
  const isNote = state === 'failed' && finding?.weight === 'note'
  return (
    <div className="doctor-file">
      <h4>
        <code>
          <PlainText text={file.url} charactersMax={300} />
        </code>
        <span className="text-ink-3">{t('inFile', { count: file.frames })}</span>
        <span
          className={`chip ${isNote ? 'text-ink-3' : state === 'failed' ? 'text-error' : state === 'now' ? 'text-info' : 'text-ok'}`}
        >
          {t(isNote ? 'note' : state === 'failed' ? 'failedState' : state)}
        </span>
      </h4>
      <ol className="doctor-steps">
        {file.steps.map((step) => (
          <Step key={step.step} step={step} />
        ))}
      </ol>
      {finding && finding.message !== shown?.message ? <Finding finding={finding} /> : null}
    </div>
  )
}

/** The diagnosis, reduced to the first problem. Shows all steps on demand. */
function Diagnosis({ diagnosis }: { diagnosis: EventDiagnosis }) {
  const t = useTranslations('doctor')
  const [open, setOpen] = useState(false)
  const { verdict, finding, files, filesOmitted, frames } = diagnosis
  const shown = finding ? <Finding finding={finding} /> : <p>{t(verdict === 'none' ? 'nothing' : 'allMapped')}</p>
  return (
    <section className="doctor" data-verdict={verdict} aria-label={t('label')}>
      {shown}
      <div className="doctor-foot">
        <span>{t('frames', { mapped: frames.mapped, all: frames.mapped + frames.unmapped })}</span>
        {frames.ignored > 0 ? <span>{t('ignored', { count: frames.ignored })}</span> : null}
        {files.length > 0 ? (
          <Button compact aria-expanded={open} onClick={() => setOpen(!open)}>
            {t(open ? 'fewer' : 'steps')}
          </Button>
        ) : null}
      </div>
      {open ? files.map((file) => <File key={`${file.debugId}${file.url}`} file={file} shown={finding} />) : null}
      {open && filesOmitted > 0 ? <p className="doctor-foot">{t('moreFiles', { count: filesOmitted })}</p> : null}
    </section>
  )
}

/**
 * Explains below the stack why frames are not mapped. The diagnosis is computed when it is shown. If it was not
 * preloaded, its space is reserved.
 */
export function EventDoctor({
  organization,
  project,
  eventId,
  preloaded,
}: {
  organization: string
  project: string
  eventId: string
  /** Loaded with the document. */
  preloaded: EventDiagnosis | undefined
}) {
  const t = useTranslations('doctor')
  const query = useQuery({
    queryKey: ['event-doctor', organization, project, eventId],
    queryFn: ({ signal }) =>
      apiFetch<EventDiagnosis>(`projects/${organization}/${project}/events/${eventId}/source-map-debug/`, { signal }),
    ...(preloaded?.eventId === eventId ? { initialData: preloaded } : {}),
    staleTime: 30_000,
    retry: (tries, error) => tries < 3 && isTemporary(error),
  })
  if (query.data)
    return (
      <div className={preloaded ? undefined : 'doctor-room'}>
        <Diagnosis diagnosis={query.data} />
      </div>
    )
  if (!query.error)
    return (
      <p className="doctor-room part-note" aria-live="polite">
        {t('looking')}
      </p>
    )
  // The person may see the event but not the diagnosis, and could not fix anything here.
  if (query.error instanceof ApiError && (query.error.status === 403 || query.error.status === 404)) return null
  return (
    <p className="part-note" role="alert">
      {t('failed')}{' '}
      <Button compact onClick={() => void query.refetch()}>
        {t('again')}
      </Button>
    </p>
  )
}
