'use client'
import { Plus, X } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { Button } from '../../ui/forms/controls.tsx'
import { errorsAt } from './draft.ts'
import { useEditor } from './editor-context.ts'
import { Check, FieldErrors, NumberField, Pick, Step } from './fields.tsx'
import { IntervalPick } from './window-pick.tsx'

const icon = { size: 13, strokeWidth: 1.75, 'aria-hidden': true } as const
const stepsMax = 10

/** Who is asked next while nobody acknowledges. It needs an on-call schedule. */
function Escalation() {
  const t = useTranslations('alerts.form')
  const { draft, change, known, mayWrite } = useEditor()
  const { escalation } = draft
  const [first] = known.schedules
  const name = (id: string) => known.schedules.find((schedule) => schedule.id === id)?.name ?? t('goneSchedule')
  return (
    <>
      {escalation.map((step, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: steps have no identity but their place
        <div className="alert-line" key={at}>
          <span>{t('unacknowledged')}</span>
          <IntervalPick
            label={t('escalateAfter')}
            value={step.afterMinutes}
            onChange={(afterMinutes) =>
              change({
                escalation: escalation.map((other, place) => (place === at ? { ...other, afterMinutes } : other)),
              })
            }
          />
          <span>{t('ask')}</span>
          <Pick
            label={t('schedule')}
            value={step.schedule}
            text={name(step.schedule)}
            choices={known.schedules.map(({ id }) => ({ value: id, text: name(id) }))}
            onChange={(schedule) =>
              change({ escalation: escalation.map((other, place) => (place === at ? { ...other, schedule } : other)) })
            }
          />
          {mayWrite ? (
            <Button
              look="plain"
              compact
              icon
              aria-label={t('removeEscalation', { name: name(step.schedule) })}
              onClick={() => change({ escalation: escalation.filter((_, place) => place !== at) })}
            >
              <X {...icon} />
            </Button>
          ) : null}
        </div>
      ))}
      {mayWrite && first && escalation.length < stepsMax ? (
        <button
          type="button"
          className="alert-add"
          onClick={() => change({ escalation: [...escalation, { afterMinutes: 30, schedule: first.id }] })}
        >
          <Plus {...icon} /> {t('addEscalation')}
        </button>
      ) : null}
    </>
  )
}

/** Part 4: the pause between messages, the message at the end, who is asked next, and whose rule it is. */
export function HowOften() {
  const t = useTranslations('alerts.form')
  const { draft, change, known, fields } = useEditor()
  const { kind, metric, resolveMessage, owner } = draft
  const { threshold } = metric
  const isAbove = threshold.direction === 'above'
  return (
    <Step number={4} title={t('howOften')}>
      <div className="alert-line">
        <span>{t('atMostOnce')}</span>
        <IntervalPick
          label={t('interval')}
          value={draft.intervalMinutes}
          onChange={(intervalMinutes) => change({ intervalMinutes })}
        />
        <span className="alert-note">{t('sameCause')}</span>
      </div>
      <div className="alert-line">
        <Check checked={resolveMessage} onChange={(checked) => change({ resolveMessage: checked })}>
          {t('whenOver')}
        </Check>
        {kind === 'metric' ? (
          <>
            <span>{t(isAbove ? 'overBelow' : 'overAbove')}</span>
            <NumberField
              label={t('resolve')}
              value={threshold.resolve}
              placeholder={t('asThreshold')}
              isWrong={errorsAt(fields, 'metric.threshold.resolve').length > 0}
              onChange={(resolve) => change({ metric: { ...metric, threshold: { ...threshold, resolve } } })}
            />
          </>
        ) : null}
      </div>
      <Escalation />
      <div className="alert-line">
        <span>{t('owner')}</span>
        <Pick
          label={t('owner')}
          value={owner ?? ''}
          text={t('goneOwner')}
          choices={[
            { value: '', text: t('nobody') },
            ...known.people.map(({ id, name, email }) => ({ value: `user:${id}`, text: name || email })),
          ]}
          onChange={(chosen) => change({ owner: chosen === '' ? null : chosen })}
        />
      </div>
      <FieldErrors errors={errorsAt(fields, 'intervalMinutes', 'resolveMessage', 'escalation', 'owner')} />
    </Step>
  )
}
