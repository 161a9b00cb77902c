'use client'
import { Plus, X } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { Button } from '../../ui/forms/controls.tsx'
import { type AlertTrigger, triggerOf, triggerTypes } from './draft.ts'
import { useEditor } from './editor-context.ts'
import { NumberField, Pick } from './fields.tsx'
import { WindowPick } from './window-pick.tsx'

const icon = { size: 13, strokeWidth: 1.75, 'aria-hidden': true } as const
const triggersMax = 20
const befores = ['hour', 'day', 'week'] as const

/** The numbers of a trigger; nothing for triggers without. */
export function TriggerNumbers({
  trigger,
  onChange,
}: {
  trigger: AlertTrigger
  onChange: (trigger: AlertTrigger) => void
}) {
  const t = useTranslations('alerts.form')
  const clause = useTranslations('alerts.clause')
  if (trigger.type === 'events' || trigger.type === 'users')
    return (
      <>
        <NumberField
          label={t('count')}
          value={trigger.count}
          wholeFrom={1}
          onChange={(count) => count !== null && onChange({ ...trigger, count })}
        />
        <span>{t('within')}</span>
        <WindowPick
          value={trigger.windowMinutes}
          onChange={(windowMinutes) => onChange({ ...trigger, windowMinutes })}
        />
      </>
    )
  if (trigger.type !== 'rate') return null
  return (
    <>
      <NumberField
        label={t('percent')}
        value={trigger.percent}
        wholeFrom={1}
        onChange={(percent) => percent !== null && onChange({ ...trigger, percent })}
      />
      <span>{t('percentWithin')}</span>
      <WindowPick value={trigger.windowMinutes} onChange={(windowMinutes) => onChange({ ...trigger, windowMinutes })} />
      <Pick
        label={t('before')}
        value={trigger.before}
        choices={befores.map((before) => ({ value: before, text: clause(`before.${before}`) }))}
        onChange={(before) => onChange({ ...trigger, before })}
      />
    </>
  )
}

/** The second and further triggers, and whether one is enough. */
export function IssueTriggers() {
  const t = useTranslations('alerts.form')
  const words = useTranslations('alerts.trigger')
  const { draft, change, mayWrite } = useEditor()
  const { issue } = draft
  const set = (when: AlertTrigger[]) => change({ issue: { ...issue, when } })
  const replace = (at: number, trigger: AlertTrigger) =>
    set(issue.when.map((before, place) => (place === at ? trigger : before)))
  const unused = triggerTypes.find((type) => !issue.when.some((trigger) => trigger.type === type)) ?? 'events'
  return (
    <>
      {issue.when.slice(1).map((trigger, index) => {
        const at = index + 1
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: triggers have no identity but their place
          <div className="alert-line" key={at}>
            {at === 1 ? (
              <Pick
                label={t('match')}
                value={issue.match}
                choices={[
                  { value: 'any', text: t('or') },
                  { value: 'all', text: t('and') },
                ]}
                onChange={(match) => change({ issue: { ...issue, match } })}
              />
            ) : (
              <span>{t(issue.match === 'any' ? 'or' : 'and')}</span>
            )}
            <Pick
              label={t('subject')}
              value={trigger.type}
              choices={triggerTypes.map((type) => ({ value: type, text: words(type) }))}
              onChange={(type) => replace(at, triggerOf(type))}
            />
            <TriggerNumbers trigger={trigger} onChange={(changed) => replace(at, changed)} />
            {mayWrite ? (
              <Button
                look="plain"
                compact
                icon
                aria-label={t('removeCondition', { name: words(trigger.type) })}
                onClick={() => set(issue.when.filter((_, place) => place !== at))}
              >
                <X {...icon} />
              </Button>
            ) : null}
          </div>
        )
      })}
      {mayWrite && issue.when.length < triggersMax ? (
        <button type="button" className="alert-add" onClick={() => set([...issue.when, triggerOf(unused)])}>
          <Plus {...icon} /> {t('addCondition')}
        </button>
      ) : null}
    </>
  )
}
