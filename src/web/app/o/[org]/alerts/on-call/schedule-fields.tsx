'use client'
import { useTranslations } from 'next-intl'
import type { RestOnCallSchedule } from '../../../../../../contract/alerts/incidents.ts'
import type { FormState } from '../../../../../client/form.ts'
import { Field, Input, NameField, Select, TextField } from '../../../../../ui/forms/controls.tsx'
import { RotaMembers } from './rota-members.tsx'
import type { Person } from './use-names.ts'

const days = [1, 2, 3, 4, 5, 6, 7] as const

/** A schedule with its turns: user ids in their order. '' is a turn of a person who has left. */
export type ShownSchedule = RestOnCallSchedule & { turns: readonly string[] }

/** What a person can set of a schedule. */
type ScheduleValues = Pick<ShownSchedule, 'name' | 'timeZone' | 'handOverDay' | 'handOverTime' | 'startDate' | 'turns'>

/** The fields of a schedule, in a new one and in one that is edited. `id` is unique on the page. */
export function ScheduleFields({
  id,
  opening,
  people,
  state: { fields, values },
}: {
  id: string
  opening: ScheduleValues
  people: readonly Person[]
  state: FormState
}) {
  const t = useTranslations('incidents.onCall')
  return (
    <>
      <NameField id={`${id}-name`} label={t('name')} errors={fields.name} defaultValue={values.name ?? opening.name} />
      <RotaMembers id={`${id}-members`} people={people} opening={opening.turns} errors={fields.members} />
      <Field id={`${id}-day`} label={t('handOverDay')} errors={fields.handOverDay}>
        <Select
          id={`${id}-day`}
          name="handOverDay"
          defaultValue={values.handOverDay ?? String(opening.handOverDay)}
          aria-describedby={`${id}-day-note`}
        >
          {days.map((day) => (
            <option key={day} value={day}>
              {t(`day.${day}`)}
            </option>
          ))}
        </Select>
      </Field>
      <Field id={`${id}-time`} label={t('handOverTime')} errors={fields.handOverTime}>
        <Input
          id={`${id}-time`}
          name="handOverTime"
          type="time"
          required
          defaultValue={values.handOverTime ?? opening.handOverTime}
          aria-invalid={Boolean(fields.handOverTime)}
          aria-describedby={`${id}-time-note`}
        />
      </Field>
      <TextField
        id={`${id}-zone`}
        name="timeZone"
        label={t('zone')}
        hint={t('zoneHint')}
        errors={fields.timeZone}
        required
        maxLength={64}
        autoComplete="off"
        spellCheck={false}
        defaultValue={values.timeZone ?? opening.timeZone}
      />
      <TextField
        id={`${id}-start`}
        name="startDate"
        type="date"
        label={t('startDate')}
        hint={t(opening.startDate === '' ? 'startDateNew' : 'startDateHint')}
        errors={fields.startDate}
        defaultValue={values.startDate ?? opening.startDate}
      />
    </>
  )
}
