'use client'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import type { RestActivity } from '../../../contract/issues.ts'
import { apiFetch } from '../../client/api.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Button } from '../../ui/forms/controls.tsx'
import { Section } from '../../ui/panel-section.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { ActivityWords } from './activity-words.tsx'
import { useErrorToast } from './change.ts'
import { CommentForm } from './comment-form.tsx'
import { CommentText } from './comment-text.tsx'
import { undosMax } from './merge-rules.ts'
import { useMergeUndo } from './merge-undo.ts'

type ListProps = {
  organization: string
  issueId: string
  activity: readonly RestActivity[]
  canTriage: boolean
  meUserId: string
  changed: () => void
}

/** Who wrote a comment that was copied from a tracker. Empty for other comments. */
function FromTracker({ data }: { data: RestActivity['data'] }) {
  const t = useTranslations('issues.activity')
  const { tracker, trackerAuthor: author } = data
  if (typeof tracker !== 'string' || typeof author !== 'string') return null
  return (
    <p className="text-small text-ink-3">
      <PlainText text={t('fromTracker', { author, issue: tracker })} charactersMax={200} />
    </p>
  )
}

/** One comment. Its author can edit and delete it. */
function Comment({
  activity,
  path,
  organization,
  mine,
  changed,
}: {
  activity: RestActivity
  path: string
  organization: string
  mine: boolean
  changed: () => void
}) {
  const t = useTranslations('triage.comment')
  const toast = useToast()
  const showError = useErrorToast()
  const [editing, setEditing] = useState(false)
  const text = typeof activity.data.text === 'string' ? activity.data.text : ''
  const activityPath = `${path}${activity.id}/`
  if (editing)
    return (
      <CommentForm
        organization={organization}
        path={activityPath}
        method="PUT"
        initial={text}
        done={() => {
          setEditing(false)
          changed()
        }}
        cancel={() => setEditing(false)}
      />
    )
  const remove = () =>
    apiFetch(activityPath, { method: 'DELETE' })
      .then(() => toast({ text: t('deleted') }))
      .catch((error: unknown) => showError(error))
      .finally(changed)
  return (
    <>
      <FromTracker data={activity.data} />
      <CommentText text={text} />
      {mine ? (
        <div className="flex gap-1">
          <Button compact look="plain" onClick={() => setEditing(true)}>
            {t('edit')}
          </Button>
          <Button compact look="plain" onClick={() => void remove()}>
            {t('delete')}
          </Button>
        </div>
      ) : null}
    </>
  )
}

const countOf = (value: unknown): number => (typeof value === 'number' ? value : 0)

/** The merged issues, or the target of unmerged hashes. Empty for other activities. */
function Merged({ activity: { type, data } }: { activity: RestActivity }) {
  const t = useTranslations('issues.activity')
  if (type === 'merge' && Array.isArray(data.issues)) {
    const names = data.issues.flatMap((issue: unknown) =>
      typeof issue === 'object' && issue !== null && 'shortId' in issue && typeof issue.shortId === 'string'
        ? [issue.shortId]
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

/** Undoes a merge, as long as nobody has. */
function UndoMerge({
  activity: { id, type, data },
  ...props
}: { activity: RestActivity } & Omit<ListProps, 'activity'>) {
  const t = useTranslations('parts.merge')
  const undo = useMergeUndo(props.organization, props.changed)
  if (type !== 'merge') return null
  if (data.undone === true) return <span className="text-ink-3"> {t('wasUndone')}</span>
  if (!props.canTriage || countOf(data.count) > undosMax) return null
  return (
    <div>
      <Button compact look="plain" onClick={() => undo(props.issueId, id)}>
        {t('undo')}
      </Button>
    </div>
  )
}

/** The issue's activity, newest first, with a comment field that keeps its text if sending fails. */
export function ActivityList({ activity, ...props }: ListProps) {
  const { organization, issueId, canTriage, meUserId, changed } = props
  const t = useTranslations('issues.activity')
  const triage = useTranslations('triage.comment')
  const path = `organizations/${organization}/issues/${issueId}/comments/`
  return (
    <Section id="activity" title={t('title')} note={String(activity.length)}>
      <CommentForm
        organization={organization}
        path={path}
        method="POST"
        disabled={canTriage ? '' : t('notAllowed')}
        done={changed}
      />
      <ol className="activity">
        {activity.map((activityItem) => (
          <li key={activityItem.id}>
            <div>
              <Avatar name={activityItem.user ? activityItem.user.name || activityItem.user.email : 'Mishap'} />{' '}
              <b>
                {activityItem.user ? (
                  <PlainText text={activityItem.user.name || activityItem.user.email} charactersMax={80} />
                ) : (
                  'Mishap'
                )}
              </b>{' '}
              <ActivityWords activity={activityItem} /> <Merged activity={activityItem} />
              <Time at={activityItem.dateCreated} className="text-ink-3" />
              {typeof activityItem.data.editedMs === 'number' ? (
                <span className="text-ink-3"> · {triage('edited')}</span>
              ) : null}
            </div>
            <UndoMerge activity={activityItem} {...props} />
            {activityItem.type === 'note' ? (
              <Comment
                activity={activityItem}
                mine={canTriage && activityItem.user?.id === meUserId}
                path={path}
                organization={organization}
                changed={changed}
              />
            ) : null}
          </li>
        ))}
      </ol>
    </Section>
  )
}
