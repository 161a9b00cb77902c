'use client'
import { useTranslations } from 'next-intl'
import type { RestOnCallSchedule } from '../../../../../../contract/alerts/incidents.ts'
import { noState } from '../../../../../client/form.ts'
import { ActionForm } from '../../../../../ui/forms/action-form.tsx'
import { Button, Field, Input, Select } from '../../../../../ui/forms/controls.tsx'
import { PlainText } from '../../../../../ui/plain-text.tsx'
import { Time } from '../../../../../ui/time.tsx'
import { addOverrideAction, deleteScheduleAction, removeOverrideAction } from './actions.ts'

type Person = RestOnCallSchedule['members'][number]

export const nameOf = (person: Person | null): string => person?.name || person?.email || '–'

/** The weeks ahead, with who has them. */
function Shifts({ schedule }: { schedule: RestOnCallSchedule }) {
  const t = useTranslations('incidents.onCall')
  return (
    <ul className="mt-1">
      {schedule.shifts.map(({ person, start, end, isOverride }) => (
        <li key={start} className="flex flex-wrap items-baseline gap-x-3 py-0.5">
          <Time at={start} form="moment" className="text-small text-ink-2" />
          <span aria-hidden>–</span>
          <Time at={end} form="moment" className="text-small text-ink-2" />
          <span>
            <PlainText text={nameOf(person)} />
          </span>
          {isOverride ? <span className="text-small text-ink-2">{t('override')}</span> : null}
        </li>
      ))}
    </ul>
  )
}

/** The form that lets somebody take over for a time. */
function OverrideForm({
  organization,
  schedule,
  people,
}: {
  organization: string
  schedule: RestOnCallSchedule
  people: readonly Person[]
}) {
  const t = useTranslations('incidents.onCall')
  const id = `override-${schedule.id}`
  return (
    <details className="mt-2">
      <summary>{t('takeOver')}</summary>
      <ActionForm
        action={addOverrideAction}
        initial={noState}
        name={id}
        className="mt-2 flex max-w-[420px] flex-col gap-3"
      >
        {(state, pending) => (
          <>
            <input type="hidden" name="organization" value={organization} />
            <input type="hidden" name="schedule" value={schedule.id} />
            <Field id={`${id}-person`} label={t('person')} errors={state.fields.person}>
              <Select id={`${id}-person`} name="person" aria-describedby={`${id}-person-note`}>
                {people.map((person) => (
                  <option key={person.id} value={person.id}>
                    {nameOf(person)}
                  </option>
                ))}
              </Select>
            </Field>
            {(['start', 'end'] as const).map((name) => (
              <Field
                key={name}
                id={`${id}-${name}`}
                label={t(name === 'start' ? 'from' : 'to', { zone: schedule.timeZone })}
                errors={state.fields[name]}
              >
                <Input
                  id={`${id}-${name}`}
                  name={name}
                  type="datetime-local"
                  required
                  aria-describedby={`${id}-${name}-note`}
                />
              </Field>
            ))}
            <div>
              <Button type="submit" disabled={pending}>
                {t('add')}
              </Button>
            </div>
          </>
        )}
      </ActionForm>
    </details>
  )
}

/** One schedule: who is on call now, the weeks ahead and its overrides. */
export function Schedule({
  organization,
  schedule,
  people,
  mayWrite,
}: {
  organization: string
  schedule: RestOnCallSchedule
  people: readonly Person[]
  mayWrite: boolean
}) {
  const t = useTranslations('incidents.onCall')
  const { id, name, onCall, handOverDay, handOverTime, timeZone, overrides } = schedule
  const hidden = (
    <>
      <input type="hidden" name="organization" value={organization} />
      <input type="hidden" name="schedule" value={id} />
    </>
  )
  return (
    <li className="border-b border-line py-3">
      <h2 className="break-words">
        <PlainText text={name} />
      </h2>
      <p>
        {onCall?.person ? (
          <>
            <PlainText text={t('now', { name: nameOf(onCall.person) })} /> <Time at={onCall.until} form="moment" />
          </>
        ) : (
          t('nobody')
        )}
      </p>
      {schedule.holes > 0 ? (
        <p role="status" className="text-warning">
          {t('holes', { count: schedule.holes })}
        </p>
      ) : null}
      <p className="text-small text-ink-2">
        {t('handOver', { day: t(`day.${handOverDay as 1}`), time: handOverTime, zone: timeZone })}
      </p>
      <details className="mt-2">
        <summary>{t('next')}</summary>
        <Shifts schedule={schedule} />
      </details>
      {mayWrite ? (
        <>
          <OverrideForm organization={organization} schedule={schedule} people={people} />
          {overrides.map((override) => (
            <ActionForm
              key={override.id}
              action={removeOverrideAction}
              initial={noState}
              name={`remove-${override.id}`}
              className="mt-2 flex flex-wrap items-baseline gap-x-3"
            >
              {(_state, pending) => (
                <>
                  {hidden}
                  <input type="hidden" name="override" value={override.id} />
                  <PlainText text={nameOf(override.person)} />
                  <Time at={override.start} form="moment" className="text-small text-ink-2" />
                  <span aria-hidden>–</span>
                  <Time at={override.end} form="moment" className="text-small text-ink-2" />
                  <Button type="submit" compact disabled={pending}>
                    {t('remove')}
                  </Button>
                </>
              )}
            </ActionForm>
          ))}
          <ActionForm action={deleteScheduleAction} initial={noState} name={`delete-${id}`} className="mt-2">
            {(_state, pending) => (
              <>
                {hidden}
                <Button type="submit" look="danger" compact disabled={pending}>
                  {t('delete')}
                </Button>
              </>
            )}
          </ActionForm>
        </>
      ) : null}
    </li>
  )
}
