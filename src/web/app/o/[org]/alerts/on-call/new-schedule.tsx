'use client'
import { useTranslations } from 'next-intl'
import type { RestOnCallSchedule } from '../../../../../../contract/alerts/incidents.ts'
import { noState } from '../../../../../client/form.ts'
import { ActionForm } from '../../../../../ui/forms/action-form.tsx'
import { Button, Field, Input, NameField, Select, TextField } from '../../../../../ui/forms/controls.tsx'
import { PlainText } from '../../../../../ui/plain-text.tsx'
import { createScheduleAction } from './actions.ts'
import { nameOf } from './schedule.tsx'

const days = [1, 2, 3, 4, 5, 6, 7] as const

/** The form for a new on-call schedule. Members take turns in the order of the list. */
export function NewSchedule({
  organization,
  people,
  zone,
}: {
  organization: string
  people: RestOnCallSchedule['members']
  /** The zone of the reader. */
  zone: string
}) {
  const t = useTranslations('incidents.onCall')
  return (
    <section className="mt-8">
      <h2 className="mb-3">{t('newTitle')}</h2>
      <ActionForm
        action={createScheduleAction}
        initial={noState}
        name="new-schedule"
        className="flex max-w-[560px] flex-col gap-3"
      >
        {(state, pending) => (
          <>
            <input type="hidden" name="organization" value={organization} />
            <NameField
              id="schedule-name"
              label={t('name')}
              errors={state.fields.name}
              defaultValue={state.values.name}
            />
            <TextField
              id="schedule-zone"
              name="timeZone"
              label={t('zone')}
              hint={t('zoneHint')}
              errors={state.fields.timeZone}
              required
              autoComplete="off"
              defaultValue={state.values.timeZone ?? zone}
            />
            <Field id="schedule-day" label={t('handOverDay')} errors={state.fields.handOverDay}>
              <Select id="schedule-day" name="handOverDay" defaultValue="1" aria-describedby="schedule-day-note">
                {days.map((day) => (
                  <option key={day} value={day}>
                    {t(`day.${day}`)}
                  </option>
                ))}
              </Select>
            </Field>
            <Field id="schedule-time" label={t('handOverTime')} errors={state.fields.handOverTime}>
              <Input
                id="schedule-time"
                name="handOverTime"
                type="time"
                required
                defaultValue="09:00"
                aria-describedby="schedule-time-note"
              />
            </Field>
            <fieldset>
              <legend className="font-[550]">{t('members')}</legend>
              <p className="text-small text-ink-2">{t('membersHint')}</p>
              {people.map((person) => (
                <label key={person.id} className="flex items-center gap-2 py-0.5">
                  <input type="checkbox" name="member" value={person.id} />
                  <PlainText text={nameOf(person)} />
                </label>
              ))}
            </fieldset>
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
