'use client'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { noState } from '../../../../../client/form.ts'
import { ActionForm } from '../../../../../ui/forms/action-form.tsx'
import { Button } from '../../../../../ui/forms/controls.tsx'
import { createScheduleAction } from './actions.ts'
import { ScheduleFields } from './schedule-fields.tsx'
import type { Person } from './use-names.ts'

/** The form for a new on-call schedule. */
export function NewSchedule({
  organization,
  people,
  zone,
}: {
  organization: string
  people: readonly Person[]
  /** The zone of the reader. */
  zone: string
}) {
  const t = useTranslations('incidents.onCall')
  const [created, setCreated] = useState(0)
  const opening = { name: '', timeZone: zone, handOverDay: 1, handOverTime: '09:00', startDate: '', turns: [] }
  return (
    <section className="mt-8">
      <h2 className="mb-3">{t('newTitle')}</h2>
      <ActionForm
        action={createScheduleAction}
        initial={noState}
        name="new-schedule"
        className="flex max-w-[560px] flex-col gap-3"
        onDone={() => setCreated(created + 1)}
      >
        {(state, pending) => (
          <>
            <input type="hidden" name="organization" value={organization} />
            {/* The turns are no field that a form can reset. */}
            <ScheduleFields key={created} id="schedule" opening={opening} people={people} state={state} />
            <div>
              <Button type="submit" disabled={pending}>
                {t('create')}
              </Button>
            </div>
          </>
        )}
      </ActionForm>
    </section>
  )
}
