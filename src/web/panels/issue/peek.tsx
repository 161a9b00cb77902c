'use client'
import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useTranslations } from 'next-intl'
import type { RestEvent } from '../../../contract/events.ts'
import type { RestIssue } from '../../../contract/issues.ts'
import { ApiError, apiFetch } from '../../client/api.ts'
import { entryOf } from '../../client/event-entries.ts'
import type { StatusChange } from '../../client/issue-status.ts'
import { Button } from '../../ui/forms/controls.tsx'
import { KeyHint } from '../../ui/key-hint.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Time } from '../../ui/time.tsx'
import { headOf } from './issue-head.ts'
import { frameLocation } from './stack/frames.ts'

const framesMax = 6
const tagsMax = 12

/** What the panel can do with its issue. */
type PeekActions = {
  decide: (change: StatusChange) => void
  ask: (question: 'snooze' | 'archive') => void
  assign: () => void
}

type PeekProps = {
  organization: string
  issue: RestIssue
  open: () => void
  close: () => void
  act: PeekActions | undefined
}

/**
 * A preview of the issue's newest event beside the list. The focus stays in the list, so that its keys move to the next
 * issue. Without `act` it shows no actions: they would change the selected rows, or the role may not triage.
 */
export function PeekPanel({ organization, issue, open, close, act }: PeekProps) {
  const t = useTranslations('triage.peek')
  const bar = useTranslations('rows.bar')
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
    <aside className="peek" aria-label={t('title', { issue: issue.shortId })}>
      <div className="peek-body">
        <div className="peek-head">
          <code>{issue.shortId}</code>
          <span className="text-ink-3">{bar('peekKeys')}</span>
          <Button
            compact
            look="plain"
            icon
            aria-label={bar('close')}
            title={bar('byKey', { text: bar('close'), key: 'esc' })}
            onClick={close}
          >
            <X size={15} aria-hidden="true" />
          </Button>
        </div>
        <h2 className="peek-title">
          <PlainText text={type} charactersMax={200} />
        </h2>
        <p className="peek-message">
          <PlainText text={value} charactersMax={600} />
        </p>
        {issue.decodedTitle ? (
          <p className="peek-raw">
            <PlainText text={issue.metadata.value ?? issue.title} charactersMax={300} />
          </p>
        ) : null}
        <Actions act={act} open={open} />
        {error ? (
          <p role="alert" className="mt-2 text-error">
            {isGone ? t('noEvent') : error.message}
          </p>
        ) : null}
        {data ? <EventInShort event={data} /> : null}
      </div>
    </aside>
  )
}

function Actions({ act, open }: Pick<PeekProps, 'act' | 'open'>) {
  const t = useTranslations('issues.bulk')
  const bar = useTranslations('rows.bar')
  const peek = useTranslations('triage.peek')
  const actions = act
    ? [
        { text: t('resolve'), key: 'e', run: () => act.decide({ status: 'resolved' }) },
        { text: bar('snooze'), key: 's', run: () => act.ask('snooze') },
        { text: t('archive'), key: 'i', run: () => act.ask('archive') },
        { text: t('assign'), key: 'a', run: act.assign },
      ]
    : []
  return (
    <div className="peek-actions">
      <Button look="main" compact title={bar('byKey', { text: peek('open'), key: 'o' })} onClick={open}>
        {peek('open')}
      </Button>
      {actions.map(({ text, key, run }) => (
        <Button key={key} compact title={bar('byKey', { text, key })} onClick={run}>
          {text} <KeyHint name={key} />
        </Button>
      ))}
    </div>
  )
}

function EventInShort({ event }: { event: RestEvent }) {
  const frames = (entryOf(event, 'exception')?.data.values ?? [])
    .toReversed()
    .flatMap((exception) => exception.stacktrace?.frames.toReversed() ?? [])
  const inApp = frames.filter((frame) => frame.inApp)
  return (
    <>
      <p className="mt-4 text-ink-3">
        <Time at={event.dateCreated} />{' '}
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
          <li key={tag.key} className="chip text-ink-3">
            <PlainText text={`${tag.key}: ${tag.value}`} charactersMax={80} />
          </li>
        ))}
      </ul>
    </>
  )
}
