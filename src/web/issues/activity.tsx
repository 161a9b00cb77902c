'use client'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import type { RestActivity } from '../../protocol/rest.ts'
import { ApiError, apiFetch } from '../api.ts'
import { Button } from '../ui/controls.tsx'
import { PlainText } from '../ui/plain-text.tsx'
import { RelativeTime } from '../ui/time.tsx'
import { Section } from './marks.tsx'

const textMax = 10_000

/** Whom an assignment names; nothing for everything else. */
function Assigned({ activity: { data, user } }: { activity: RestActivity }) {
  const t = useTranslations('issues.activity')
  if (typeof data.assigneeEmail !== 'string') return null
  const name = typeof data.assigneeName === 'string' && data.assigneeName ? data.assigneeName : data.assigneeEmail
  return <>{user?.email === data.assigneeEmail ? t('assignedSelf') : t('assignedTo', { name })} </>
}

const countOf = (value: unknown): number => (typeof value === 'number' ? value : 0)

/** Where events went when they were mapped again; nothing for everything else. */
function Moved({ data }: { data: RestActivity['data'] }) {
  const t = useTranslations('issues.activity')
  const from = Array.isArray(data.from) ? data.from.filter((one) => typeof one === 'string') : []
  const [came, left] = [countOf(data.came), countOf(data.left)]
  return (
    <>
      {came > 0 ? (
        <PlainText text={`${t('came', { count: came, from: from.join(', ') })} `} charactersMax={400} />
      ) : null}
      {left > 0 ? `${t('left', { count: left })} ` : null}
    </>
  )
}

/** Which issues became one, or where hashes went; nothing for everything else. */
function Merged({ activity: { type, data } }: { activity: RestActivity }) {
  const t = useTranslations('issues.activity')
  if (type === 'merge' && Array.isArray(data.issues)) {
    const names = data.issues.flatMap((one: unknown) =>
      typeof one === 'object' && one !== null && 'shortId' in one && typeof one.shortId === 'string'
        ? [one.shortId]
        : [],
    )
    return <PlainText text={`${names.join(', ')} `} charactersMax={400} />
  }
  if (type !== 'unmerge') return null
  const events = t('unmerged', { count: countOf(data.events) })
  if (typeof data.source === 'string')
    return <PlainText text={`${events} ${t('cameFrom', { issue: data.source })} `} charactersMax={200} />
  const to = typeof data.destination === 'string' ? t('wentTo', { issue: data.destination }) : ''
  return <PlainText text={`${events} ${to} `} charactersMax={200} />
}

/** What happened to the issue, newest first, and a field for a comment that keeps its text when it can't be sent. */
export function ActivityList({
  organization,
  issueId,
  activity,
  canTriage,
  changed,
}: {
  organization: string
  issueId: string
  activity: readonly RestActivity[]
  canTriage: boolean
  changed: () => void
}) {
  const t = useTranslations('issues.activity')
  const [text, setText] = useState('')
  const [busy, setBusy] = useState(false)
  const [wrong, setWrong] = useState('')
  async function send() {
    setBusy(true)
    setWrong('')
    try {
      await apiFetch(`organizations/${organization}/issues/${issueId}/comments/`, { method: 'POST', body: { text } })
      setText('')
      changed()
    } catch (error) {
      setWrong(error instanceof ApiError ? [error.message, ...error.causes].join(' ') : String(error))
    }
    setBusy(false)
  }
  return (
    <Section id="activity" title={t('title')}>
      <form
        className="comment"
        onSubmit={(event) => {
          event.preventDefault()
          if (text.trim()) void send()
        }}
      >
        <textarea
          className="input"
          rows={2}
          maxLength={textMax}
          aria-label={t('comment')}
          placeholder={canTriage ? t('comment') : t('notAllowed')}
          disabled={!canTriage}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        {wrong ? (
          <p role="alert" className="text-small text-error">
            {wrong}
          </p>
        ) : null}
        <Button type="submit" compact disabled={!canTriage || busy || !text.trim()}>
          {t('send')}
        </Button>
      </form>
      <ol className="activity">
        {activity.map((one) => (
          <li key={one.id}>
            <div>
              <b>{one.user ? <PlainText text={one.user.name || one.user.email} charactersMax={80} /> : 'Mishap'}</b>{' '}
              {one.type === 'mapped_again' ? t('mapped_again', { count: countOf(one.data.events) }) : t(one.type)}{' '}
              <Merged activity={one} />
              <Assigned activity={one} />
              <Moved data={one.data} />
              <RelativeTime at={one.dateCreated} className="text-ink-3" />
            </div>
            {one.type === 'note' && typeof one.data.text === 'string' ? (
              <p className="activity-text">
                <PlainText text={one.data.text} charactersMax={textMax} />
              </p>
            ) : null}
          </li>
        ))}
      </ol>
    </Section>
  )
}
