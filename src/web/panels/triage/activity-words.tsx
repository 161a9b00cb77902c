'use client'
import { useTranslations } from 'next-intl'
import type { RestActivity } from '../../../contract/issues.ts'
import { PlainText } from '../../ui/plain-text.tsx'
import { useStateWords } from './state-words.ts'

const countOf = (value: unknown): number => (typeof value === 'number' ? value : 0)
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The assignee of an assignment, with the rule that chose it. Empty for other activities. */
function Assigned({ activity: { data, user } }: { activity: RestActivity }) {
  const t = useTranslations('issues.activity')
  const rule = textOf(data.rule)
  if (typeof data.assigneeEmail !== 'string') return null
  const name = typeof data.assigneeName === 'string' && data.assigneeName ? data.assigneeName : data.assigneeEmail
  return (
    <>
      {user?.email === data.assigneeEmail ? t('assignedSelf') : t('assignedTo', { name })}{' '}
      {rule ? <PlainText text={`${t('byRule', { rule })} `} charactersMax={400} /> : null}
    </>
  )
}

/** The events that reprocessing moved to or from the issue. Empty for other activities. */
function MovedEvents({ data }: { data: RestActivity['data'] }) {
  const t = useTranslations('issues.activity')
  const from = Array.isArray(data.from) ? data.from.filter((entry) => typeof entry === 'string') : []
  const [arrived, departed] = [countOf(data.came), countOf(data.left)]
  return (
    <>
      {arrived > 0 ? (
        <PlainText text={`${t('came', { count: arrived, from: from.join(', ') })} `} charactersMax={400} />
      ) : null}
      {departed > 0 ? `${t('left', { count: departed })} ` : null}
    </>
  )
}

const reasons = ['forecast', 'count', 'users', 'time'] as const

/** The reason of an automatic state transition. */
function Why({ data }: { data: RestActivity['data'] }) {
  const t = useTranslations('issues.activity')
  const reason = reasons.find((candidate) => candidate === data.reason)
  const counts = { count: countOf(data.count), minutes: countOf(data.minutes), limit: countOf(data.limit) }
  return (
    <>
      {reason ? `${t(`why_${reason}`, counts)} ` : null}
      {data.reason === 'commit' && textOf(data.commit) !== '' ? (
        <PlainText
          text={`${t('why_commit', { commit: textOf(data.commit).slice(0, 12), author: textOf(data.author) || 'none' })} `}
          charactersMax={200}
        />
      ) : null}
      {data.reason === 'tracker' && textOf(data.tracker) !== '' ? (
        <PlainText text={`${t('why_tracker', { issue: textOf(data.tracker) })} `} charactersMax={200} />
      ) : null}
      {data.undone === true ? `${t('why_undone')} ` : null}
    </>
  )
}

/** The text of an activity after the actor's name. */
export function ActivityWords({ activity }: { activity: RestActivity }) {
  const t = useTranslations('issues.activity')
  const triage = useTranslations('triage.priority')
  const words = useStateWords()
  const { type, data } = activity
  const details = data.statusDetails
  const substatus = textOf(data.substatus)
  const how = words(details && typeof details === 'object' ? details : {}, substatus)
  if (type === 'mapped_again')
    return (
      <>
        {t('mapped_again', { count: countOf(data.events) })} <MovedEvents data={data} />
      </>
    )
  if (type === 'set_resolved_in_release') {
    const version = textOf(data.version)
    return (
      <>
        <PlainText text={t(type, { how: how || words({ inRelease: version }, '') })} charactersMax={300} />{' '}
        <Why data={data} />
      </>
    )
  }
  const priority = (['high', 'medium', 'low'] as const).find((candidate) => candidate === data.priority)
  return (
    <>
      {t(type)} {type === 'set_ignored' && how ? <PlainText text={`${how} `} charactersMax={200} /> : null}
      {priority ? `${t('priorityTo', { priority: triage(priority) })} ` : null}
      <Assigned activity={activity} />
      <Why data={data} />
    </>
  )
}
