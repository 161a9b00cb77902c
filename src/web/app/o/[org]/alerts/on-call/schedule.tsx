'use client'
import { useTranslations } from 'next-intl'
import type { RestOnCallSchedule } from '../../../../../../contract/alerts/incidents.ts'
import { noState } from '../../../../../client/form.ts'
import { ActionForm } from '../../../../../ui/forms/action-form.tsx'
import { Button } from '../../../../../ui/forms/controls.tsx'
import { PlainText } from '../../../../../ui/plain-text.tsx'
import { Time } from '../../../../../ui/time.tsx'
import { deleteScheduleAction } from './actions.ts'
import { EditSchedule } from './edit-schedule.tsx'
import { Overrides } from './overrides.tsx'
import type { ShownSchedule } from './schedule-fields.tsx'
import { nameOf, type Person, useNames } from './use-names.ts'

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

/** One schedule: who is on call now, its turns, the weeks ahead and its overrides. Who may not write reads it. */
export function Schedule({
  organization,
  schedule,
  people,
  mayWrite,
}: {
  organization: string
  schedule: ShownSchedule
  people: readonly Person[]
  mayWrite: boolean
}) {
  const t = useTranslations('incidents.onCall')
  const nameOfTurn = useNames(people)
  const { id, name, onCall, handOverDay, handOverTime, timeZone, turns } = schedule
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
      <Overrides organization={organization} schedule={schedule} people={people} mayWrite={mayWrite} />
      {mayWrite ? (
        <ActionForm action={deleteScheduleAction} initial={noState} name={`delete-${id}`} className="mt-2">
          {(_state, pending) => (
            <>
              <input type="hidden" name="organization" value={organization} />
              <input type="hidden" name="schedule" value={id} />
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
