'use client'
import { useTranslations } from 'next-intl'
import { useRef, useState } from 'react'
import { noGuardedState } from '../../../../../client/form.ts'
import { ActionForm } from '../../../../../ui/forms/action-form.tsx'
import { Button, buttonClass } from '../../../../../ui/forms/controls.tsx'
import { clearDraft } from '../../../../../ui/forms/kept-form.ts'
import { PlainText } from '../../../../../ui/plain-text.tsx'
import { Stale } from '../../../../../ui/stale.tsx'
import { useToast } from '../../../../../ui/toast.tsx'
import { updateScheduleAction } from './actions.ts'
import { ScheduleFields, type ShownSchedule } from './schedule-fields.tsx'
import type { Person } from './use-names.ts'

/**
 * Changes a schedule. The form keeps the schedule as it was when the person opened it, so a change that somebody else
 * makes meanwhile is a conflict and not overwritten unseen.
 */
export function EditSchedule({
  organization,
  schedule,
  people,
}: {
  organization: string
  schedule: ShownSchedule
  people: readonly Person[]
}) {
  const t = useTranslations('incidents.onCall')
  const toast = useToast()
  const [opened, setOpened] = useState<ShownSchedule>()
  const opener = useRef<HTMLButtonElement>(null)
  const name = `schedule-${schedule.id}`
  const close = () => {
    clearDraft(name)
    setOpened(undefined)
    opener.current?.focus()
  }
  return (
    <div className="mt-2">
      <button
        ref={opener}
        type="button"
        className={buttonClass({ compact: true })}
        aria-expanded={opened !== undefined}
        onClick={() => (opened ? close() : setOpened(schedule))}
      >
        {t('edit')}{' '}
        <span className="visually-hidden">
          <PlainText text={schedule.name} />
        </span>
      </button>
      {opened ? (
        <ActionForm
          action={updateScheduleAction}
          initial={noGuardedState}
          name={name}
          guarded
          className="mt-3 flex max-w-[560px] flex-col gap-3"
          onDone={() => {
            toast({ text: t('saved'), stayMs: 3000 })
            close()
          }}
        >
          {(state, pending) => (
            <>
              <input type="hidden" name="organization" value={organization} />
              <input type="hidden" name="schedule" value={opened.id} />
              <input type="hidden" name="revision" value={opened.revision} />
              <ScheduleFields id={name} opening={opened} people={people} state={state} />
              <div className="flex flex-wrap gap-2">
                <Button type="submit" look="main" disabled={pending}>
                  {t('save')}
                </Button>
                <Button onClick={close} disabled={pending}>
                  {t('cancel')}
                </Button>
              </div>
              {/* After the button, so that Enter in a field does not overwrite the change of somebody else. */}
              {state.stale ? <Stale form={name} stale={state.stale} pending={pending} /> : null}
            </>
          )}
        </ActionForm>
      ) : null}
    </div>
  )
}
