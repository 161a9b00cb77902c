'use client'
import { Check, ChevronDown } from 'lucide-react'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import { Avatar } from '../../ui/avatar.tsx'
import { Button } from '../../ui/forms/controls.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import type { IssueContext } from '../panel.ts'

type ActionProps = Pick<IssueContext, 'detail' | 'canTriage' | 'actions'>

const chevron = <ChevronDown size={14} strokeWidth={1.75} aria-hidden="true" />

/** A reader sees the buttons too, disabled and with the reason. */
function useReason(canTriage: boolean): (title: string) => { disabled: boolean; title: string } {
  const t = useTranslations('issues.bulk')
  return (title) => ({ disabled: !canTriage, title: canTriage ? title : t('notAllowed') })
}

/** A button that opens a list to choose from. */
function Pick({
  label,
  children,
  ...rest
}: {
  label?: string
  children: ReactNode
  disabled: boolean
  title: string
  onClick: () => void
}) {
  return (
    <Button compact aria-haspopup="dialog" {...rest}>
      {label ? <span className="text-ink-3">{label}</span> : null}
      {children} {chevron}
    </Button>
  )
}

/** The assignee, or the owner that a rule suggests: a click on a suggestion accepts it. */
function AssigneeButton({ detail, canTriage, actions: { assign } }: ActionProps) {
  const t = useTranslations('issues')
  const suggest = useTranslations('triage.suggested')
  const reasoned = useReason(canTriage)
  const { assignedTo } = detail
  const [owner] = detail.suggestedOwners
  const choose = reasoned(`${t('keys.assign')} (a)`)
  if (assignedTo || !owner) {
    const name = assignedTo ? assignedTo.name || assignedTo.email : undefined
    return (
      <Pick onClick={assign.ask} {...choose}>
        <Avatar name={name} />
        <span className="issue-assigned">{name ? <PlainText text={name} charactersMax={60} /> : t('unassigned')}</span>
      </Pick>
    )
  }
  const { rule, ...person } = owner
  const name = person.name || person.email
  return (
    <span className="split">
      <Button compact {...reasoned(suggest('assign', { rule }))} onClick={() => assign.to({ type: 'user', ...person })}>
        <Avatar name={name} isSuggested />
        <span className="issue-assigned text-ink-3">
          <PlainText text={name} charactersMax={60} />?
        </span>
      </Button>
      <Button compact icon aria-haspopup="dialog" aria-label={t('keys.assign')} {...choose} onClick={assign.ask}>
        {chevron}
      </Button>
    </span>
  )
}

/** The priority. Its reason is on hover. */
export function PriorityButton({ detail, canTriage, actions }: ActionProps) {
  const t = useTranslations('triage.priority')
  const reasoned = useReason(canTriage)
  return (
    <Pick
      label={t('title')}
      {...reasoned(`${t(detail.priority)}, ${t(`why_${detail.priorityReason}`)} (p)`)}
      onClick={() => actions.ask('priority')}
    >
      {t(detail.priority)}
    </Pick>
  )
}

/** Archives the issue, after a question until when. */
export function ArchiveButton({ canTriage, actions }: ActionProps) {
  const t = useTranslations('issues.bulk')
  const ask = useTranslations('triage.ask')
  const reasoned = useReason(canTriage)
  return (
    <Button
      compact
      aria-haspopup="dialog"
      {...reasoned(`${ask('archive')} (i)`)}
      onClick={() => actions.ask('archive')}
    >
      {t('archive')}
    </Button>
  )
}

/** Resolves the issue, or opens the other ways to resolve it: in which release. */
function ResolveButton({ detail, canTriage, actions: { ask, decide } }: ActionProps) {
  const t = useTranslations('issues.bulk')
  const keys = useTranslations('issues.keys')
  const triage = useTranslations('triage.ask')
  const reasoned = useReason(canTriage)
  if (detail.status !== 'unresolved')
    return (
      <Button compact {...reasoned(`${keys('unresolve')} (U)`)} onClick={() => decide({ status: 'unresolved' })}>
        {t('unresolve')}
      </Button>
    )
  return (
    <span className="split">
      <Button
        look="main"
        compact
        {...reasoned(`${keys('resolve')} (e)`)}
        onClick={() => decide({ status: 'resolved' })}
      >
        <Check size={14} strokeWidth={2} aria-hidden="true" /> {t('resolve')}
      </Button>
      <Button
        look="main"
        compact
        icon
        aria-haspopup="dialog"
        aria-label={triage('resolve')}
        {...reasoned(`${triage('resolve')} (R)`)}
        onClick={() => ask('resolve')}
      >
        {chevron}
      </Button>
    </span>
  )
}

/** Buttons for the actions that also have keys. */
export function IssueActions(props: IssueContext) {
  const t = useTranslations('issuepage')
  const ask = useTranslations('triage.ask')
  const reasoned = useReason(props.canTriage)
  return (
    <div className="issue-actions">
      <AssigneeButton {...props} />
      <span className="issue-wide">
        <PriorityButton {...props} />
      </span>
      <Button
        compact
        aria-haspopup="dialog"
        {...reasoned(`${ask('snooze')} (s)`)}
        onClick={() => props.actions.ask('snooze')}
      >
        {t('snooze')}
      </Button>
      <span className="issue-wide">
        <ArchiveButton {...props} />
      </span>
      <ResolveButton {...props} />
    </div>
  )
}
