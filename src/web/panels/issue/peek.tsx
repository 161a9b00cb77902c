'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'next-intl'
import type { RestEvent } from '../../../contract/events.ts'
import type { RestIssue } from '../../../contract/issues.ts'
import { ApiError, apiFetch } from '../../client/api.ts'
import { entryOf } from '../../client/event-entries.ts'
import { Button } from '../../ui/controls.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { frameLocation } from './frames.ts'
import { headOf } from './issue-row.tsx'

const framesMax = 6
const tagsMax = 12

/** A preview of the issue's newest event: error, application frames, tags. */
export function PeekDialog({
  organization,
  issue,
  open,
  onClose,
}: {
  organization: string
  issue: RestIssue
  open: () => void
  onClose: () => void
}) {
  const t = useTranslations('triage.peek')
  const { type, value } = headOf(issue)
  const event = useQuery({
    queryKey: ['peek', organization, issue.id, issue.lastSeen],
    queryFn: ({ signal }) =>
      apiFetch<RestEvent>(`organizations/${organization}/issues/${issue.id}/events/latest/`, { signal }),
    retry: false,
  })
  const { data, error } = event
  const isGone = error instanceof ApiError && error.status === 404
  return (
    <Dialog title={t('title', { issue: issue.shortId })} onClose={onClose} keys>
      <p>
        <b>
          <PlainText text={type} charactersMax={200} />
        </b>{' '}
        <PlainText text={value} charactersMax={600} />
      </p>
      {error ? (
        <p role="alert" className="mt-2 text-error">
          {isGone ? t('noEvent') : error.message}
        </p>
      ) : null}
      {data ? <EventInShort event={data} /> : null}
      <div className="mt-4">
        <Button look="main" compact onClick={open}>
          {t('open')}
        </Button>
      </div>
    </Dialog>
  )
}

function EventInShort({ event }: { event: RestEvent }) {
  const frames = (entryOf(event, 'exception')?.data.values ?? [])
    .toReversed()
    .flatMap((exception) => exception.stacktrace?.frames.toReversed() ?? [])
  const inApp = frames.filter((frame) => frame.inApp)
  return (
    <>
      <p className="text-ink-3">
        <RelativeTime at={event.dateCreated} />{' '}
        <PlainText text={[event.environment, event.release?.version].filter(Boolean).join(' · ')} charactersMax={200} />
      </p>
      <ol className="mt-2">
        {(inApp.length ? inApp : frames).slice(0, framesMax).map((frame, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: frames have no id and never move
          <li key={at} className="truncate">
            <b>
              <PlainText text={frame.function ?? '?'} charactersMax={120} />
            </b>{' '}
            <code>
              <PlainText text={frameLocation(frame)} charactersMax={200} />
            </code>
          </li>
        ))}
      </ol>
      <ul className="mt-2 flex flex-wrap gap-1">
        {event.tags.slice(0, tagsMax).map((tag) => (
          <li key={tag.key} className="chip">
            <PlainText text={`${tag.key}: ${tag.value}`} charactersMax={80} />
          </li>
        ))}
      </ul>
    </>
  )
}
