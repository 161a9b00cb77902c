'use client'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import type { RestOnCallSchedule } from '../../../../../../contract/alerts/incidents.ts'
import { noState } from '../../../../../client/form.ts'
import { ActionForm } from '../../../../../ui/forms/action-form.tsx'
import { Button, Field, Input, Select } from '../../../../../ui/forms/controls.tsx'
import { PlainText } from '../../../../../ui/plain-text.tsx'
import { Time } from '../../../../../ui/time.tsx'
import { addOverrideAction, deleteScheduleAction, removeOverrideAction } from './actions.ts'
import { EditSchedule } from './edit-schedule.tsx'
import type { ShownSchedule } from './schedule-fields.tsx'
import { type Person, useNames } from './use-names.ts'

const nameOf = (person: Person | null): string => person?.name || person?.email || '–'

type Part = { organization: string; schedule: ShownSchedule; people: readonly Person[] }

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
function OverrideForm({ organization, schedule, people }: Part) {
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

/** The overrides of a schedule that have not ended. */
function Overrides({
  schedule,
  hidden,
  mayWrite,
}: {
  schedule: RestOnCallSchedule
  /** Fields of the forms that name the schedule. */
  hidden: ReactNode
  mayWrite: boolean
}) {
  const t = useTranslations('incidents.onCall')
  return schedule.overrides.map((override) => {
    const words = (
      <>
        <PlainText text={nameOf(override.person)} />
        <Time at={override.start} form="moment" className="text-small text-ink-2" />
        <span aria-hidden>–</span>
        <Time at={override.end} form="moment" className="text-small text-ink-2" />
      </>
    )
    const className = 'mt-2 flex flex-wrap items-baseline gap-x-3'
    if (!mayWrite)
      return (
        <p key={override.id} className={className}>
          {words} <span className="text-small text-ink-2">{t('override')}</span>
        </p>
      )
    return (
      <ActionForm
        key={override.id}
        action={removeOverrideAction}
        initial={noState}
        name={`remove-${override.id}`}
        className={className}
      >
        {(_state, pending) => (
          <>
            {hidden}
            <input type="hidden" name="override" value={override.id} />
            {words}
            <Button type="submit" compact disabled={pending}>
              {t('remove')}
            </Button>
          </>
        )}
      </ActionForm>
    )
  })
}

/** One schedule: who is on call now, its turns, the weeks ahead and its overrides. Who may not write reads it. */
export function Schedule({ organization, schedule, people, mayWrite }: Part & { mayWrite: boolean }) {
  const t = useTranslations('incidents.onCall')
  const nameOfTurn = useNames(people)
  const { id, name, onCall, handOverDay, handOverTime, timeZone, turns } = schedule
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
      {turns.length > 0 ? (
        <p className="break-words text-small text-ink-2">
          <PlainText text={t('order', { names: turns.map(nameOfTurn).join(', ') })} />
        </p>
      ) : null}
      <details className="mt-2">
        <summary>{t('next')}</summary>
        <Shifts schedule={schedule} />
      </details>
      {mayWrite ? <EditSchedule organization={organization} schedule={schedule} people={people} /> : null}
      {mayWrite ? <OverrideForm organization={organization} schedule={schedule} people={people} /> : null}
      <Overrides schedule={schedule} hidden={hidden} mayWrite={mayWrite} />
      {mayWrite ? (
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
      ) : null}
    </li>
  )
}
