'use client'
import { Bell, CircleUser, Hash, KanbanSquare, Mail, Plus, Users, Webhook, X } from 'lucide-react'
import { useTranslations } from 'next-intl'
import type { AlertAction } from '../../../contract/alerts/alerts.ts'
import { useAlertReason } from '../../client/alert-reason.ts'
import { Button } from '../../ui/forms/controls.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Choices, Popup } from '../../ui/popup.tsx'
import { SeverityShape } from '../../ui/severity.tsx'
import { Time } from '../../ui/time.tsx'
import { actionKey, errorsAt, type RuleDraft } from './draft.ts'
import { useEditor } from './editor-context.ts'
import { FieldErrors, Step } from './fields.tsx'
import { type KnownReceivers, useReceiverWords } from './receivers.ts'

const icon = { size: 15, strokeWidth: 1.75, 'aria-hidden': true } as const
const actionsMax = 20
const personal = ['assignee', 'owners', 'authors', 'members'] as const

function ActionIcon({ action, known }: { action: AlertAction; known: KnownReceivers }) {
  if (action.type === 'person' || action.type === 'assignee') return <CircleUser {...icon} />
  if (action.type === 'on_call') return <Bell {...icon} />
  if (action.type === 'tracker') return <KanbanSquare {...icon} />
  if (action.type !== 'channel') return <Users {...icon} />
  const kind = known.channels.find(({ id }) => id === action.channel)?.kind
  if (kind === 'email') return <Mail {...icon} />
  return kind === 'webhook' ? <Webhook {...icon} /> : <Hash {...icon} />
}

/** Everything that can be added: channels, people by their part in the issue, people by name, schedules, trackers. */
function actionsOf({ channels, people, schedules, trackers }: KnownReceivers, kind: RuleDraft['kind']): AlertAction[] {
  return [
    ...channels.map(({ id }): AlertAction => ({ type: 'channel', channel: id })),
    ...personal.map((type): AlertAction => ({ type })),
    ...people.map(({ id }): AlertAction => ({ type: 'person', person: id })),
    ...schedules.map(({ id }): AlertAction => ({ type: 'on_call', schedule: id })),
    // The incident of a metric has no issue that a tracker could link.
    ...(kind === 'metric' ? [] : trackers).map(
      ({ id }): AlertAction => ({ type: 'tracker', tracker: id, options: {} }),
    ),
  ]
}

function AddReceiver() {
  const t = useTranslations('alerts.receivers')
  const { draft, change, known } = useEditor()
  const wordsOf = useReceiverWords(known)
  const used = new Set(draft.actions.map(actionKey))
  const offered = actionsOf(known, draft.kind).filter((action) => !used.has(actionKey(action)))
  if (offered.length === 0 || draft.actions.length >= actionsMax) return null
  return (
    <span className="alert-add-receiver">
      <Plus {...icon} size={13} />
      <Popup name="receiver" label={t('add')} isLabelHidden value={t('add')}>
        {(close) => (
          <Choices
            label={t('add')}
            filterLabel={t('find')}
            choices={offered.map((action) => {
              const { name, note } = wordsOf(action)
              return { value: actionKey(action), text: `${name} (${note})`, isChosen: false }
            })}
            choose={(key) => {
              const action = offered.find((candidate) => actionKey(candidate) === key)
              if (action) change({ actions: [...draft.actions, action] })
              close()
            }}
          />
        )}
      </Popup>
    </span>
  )
}

/** Part 3: who hears of it, and whether their channel works. */
export function Notify() {
  const t = useTranslations('alerts.receivers')
  const { organization, rule, draft, change, known, mayWrite, fields } = useEditor()
  const wordsOf = useReceiverWords(known)
  const reasonOf = useAlertReason()
  const workflow = rule?.workflow
  return (
    <Step number={3} title={t('title')}>
      <ul className="alert-receivers" aria-label={t('title')}>
        {draft.actions.map((action) => {
          const { name, note, isGone, failing, arrived } = wordsOf(action)
          const key = actionKey(action)
          return (
            <li key={key}>
              <ActionIcon action={action} known={known} />
              <b>
                <PlainText text={name} charactersMax={64} />
              </b>
              <span className="alert-note">{note}</span>
              <span className="alert-receiver-state">
                {failing ? (
                  <Link
                    href={`/o/${organization}/settings/notifications`}
                    className="alert-failing"
                    title={reasonOf(failing.error)}
                  >
                    <SeverityShape level="error" label="" /> {t('failing')} <Time at={failing.since} />
                  </Link>
                ) : arrived ? (
                  <span className="alert-note">{arrived}</span>
                ) : null}
                {isGone ? <span className="alert-failing">{t('nobody')}</span> : null}
              </span>
              {mayWrite ? (
                <Button
                  look="plain"
                  compact
                  icon
                  aria-label={t('remove', { name })}
                  onClick={() => change({ actions: draft.actions.filter((other) => actionKey(other) !== key) })}
                >
                  <X {...icon} size={13} />
                </Button>
              ) : null}
            </li>
          )
        })}
      </ul>
      {draft.actions.length === 0 ? <p className="alert-note">{t('none')}</p> : null}
      {workflow ? (
        <p className="alert-note">
          <b>
            <PlainText text={workflow} charactersMax={64} />
          </b>
          . {t('workflow')}
        </p>
      ) : null}
      <FieldErrors errors={errorsAt(fields, 'actions')} />
      {mayWrite ? (
        <div className="alert-line">
          <AddReceiver />
          <Link className="link alert-side" href={`/o/${organization}/settings/notifications`}>
            {t('channels')}
          </Link>
        </div>
      ) : null}
    </Step>
  )
}
