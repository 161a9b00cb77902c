'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'next-intl'
import { type FormEvent, type RefObject, useRef, useState } from 'react'
import type { RestDraft, RestExternalIssue } from '../../../contract/alerts/trackers.ts'
import type { TrackerKind } from '../../../domain/alerts/trackers.ts'
import { ApiError, apiFetch } from '../../client/api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { useErrorText } from '../../ui/error-text.ts'
import { Button, Field, Select, TextArea, TextField } from '../../ui/forms/controls.tsx'

/** A connection that works. */
export type ShownTracker = { id: string; name: string; kind: TrackerKind; target: string }

type Errors = Record<string, string[]>

/** What people paste to link an existing issue. */
const exampleOf = ({ kind, target }: ShownTracker) =>
  kind === 'github' || kind === 'gitlab' ? `${target}#12` : `${target}-12`

/** The fields of a new tracker issue with the prefilled text, which people can change. */
function NewFields({ path, tracker, errors }: { path: string; tracker: ShownTracker; errors: Errors }) {
  const t = useTranslations('integrations.panel')
  const errorText = useErrorText()
  const draft = useQuery({
    queryKey: ['external-draft', path, tracker.id],
    queryFn: ({ signal }) => apiFetch<RestDraft>(`${path}draft/`, { query: { integrationId: tracker.id }, signal }),
    staleTime: 0,
  })
  if (draft.error) return <p role="alert">{errorText(draft.error)}</p>
  if (!draft.data) return <p role="status">{t('loading')}</p>
  return (
    <>
      <TextField
        id="external-title"
        name="title"
        label={t('issueTitle')}
        errors={errors.title}
        defaultValue={draft.data.title}
        maxLength={300}
        required
      />
      <Field id="external-text" label={t('description')} errors={errors.description}>
        <TextArea
          id="external-text"
          name="description"
          rows={10}
          defaultValue={draft.data.body}
          maxLength={30_000}
          aria-describedby="external-text-note"
        />
      </Field>
    </>
  )
}

const textIn = (data: FormData, name: string) => {
  const value = data.get(name)
  return typeof value === 'string' ? value : ''
}

type Request = { integrationId: string; issue: string } | { integrationId: string; title: string; description: string }

/** Sends the request of the dialog, and keeps its errors. */
function useSend(path: string, onDone: (link: RestExternalIssue) => void) {
  const errorText = useErrorText()
  const [errors, setErrors] = useState<Errors>({})
  const [failure, setFailure] = useState('')
  const [isSending, setIsSending] = useState(false)
  const send = (body: Request) => {
    setIsSending(true)
    apiFetch<RestExternalIssue>(path, { method: 'POST', body })
      .then(onDone)
      .catch((error: unknown) => {
        const fields = error instanceof ApiError ? error.fields : {}
        setErrors(fields)
        // The words of the tracker belong to no field of this form.
        const words = fields.tracker?.join(' ')
        setFailure(words ?? (Object.keys(fields).length > 0 ? '' : errorText(error)))
        setIsSending(false)
      })
  }
  return { errors, failure, isSending, send }
}

/** The choice of the tracker, and of what to do. */
function Choices({
  trackers,
  tracker,
  setTracker,
  isNew,
  setIsNew,
  first,
}: {
  trackers: readonly ShownTracker[]
  tracker: ShownTracker
  setTracker: (id: string) => void
  isNew: boolean
  setIsNew: (isNew: boolean) => void
  first: RefObject<HTMLSelectElement | null>
}) {
  const t = useTranslations('integrations.panel')
  return (
    <div className="flex flex-wrap gap-3">
      <Field id="external-tracker" label={t('connection')}>
        <Select
          id="external-tracker"
          ref={first}
          value={tracker.id}
          onChange={(event) => setTracker(event.target.value)}
          aria-describedby="external-tracker-note"
        >
          {trackers.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      </Field>
      <Field id="external-what" label={t('what')}>
        <Select
          id="external-what"
          value={isNew ? 'new' : 'link'}
          onChange={(event) => setIsNew(event.target.value === 'new')}
          aria-describedby="external-what-note"
        >
          <option value="new">{t('create')}</option>
          <option value="link">{t('link')}</option>
        </Select>
      </Field>
    </div>
  )
}

/** Creates a tracker issue with the prefilled text, or links an existing issue. */
export function LinkDialog({
  path,
  trackers,
  onClose,
  onDone,
}: {
  /** REST path of the issue's tracker issues. */
  path: string
  trackers: readonly ShownTracker[]
  onClose: () => void
  onDone: (link: RestExternalIssue) => void
}) {
  const t = useTranslations('integrations.panel')
  const first = useRef<HTMLSelectElement>(null)
  const [trackerId, setTracker] = useState(trackers[0]?.id)
  const [isNew, setIsNew] = useState(true)
  const { errors, failure, isSending, send } = useSend(path, onDone)
  const tracker = trackers.find(({ id }) => id === trackerId) ?? trackers[0]
  if (!tracker) return null
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const integrationId = tracker.id
    if (!isNew) send({ integrationId, issue: textIn(data, 'issue') })
    else if (data.has('title'))
      send({ integrationId, title: textIn(data, 'title'), description: textIn(data, 'description') })
  }
  return (
    <Dialog title={t('add')} onClose={onClose} focus={first}>
      <form onSubmit={submit} className="flex flex-col gap-3">
        <Choices
          trackers={trackers}
          tracker={tracker}
          setTracker={setTracker}
          isNew={isNew}
          setIsNew={setIsNew}
          first={first}
        />
        {isNew ? (
          <NewFields key={tracker.id} path={path} tracker={tracker} errors={errors} />
        ) : (
          <TextField
            id="external-issue"
            name="issue"
            label={t('existing')}
            hint={t('existingHint', { example: exampleOf(tracker) })}
            errors={errors.issue}
            required
            autoComplete="off"
          />
        )}
        {failure ? (
          <p role="alert" className="text-error wrap-anywhere">
            {failure}
          </p>
        ) : null}
        <div>
          <Button type="submit" look="main" disabled={isSending}>
            {isNew ? t('createButton') : t('linkButton')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
