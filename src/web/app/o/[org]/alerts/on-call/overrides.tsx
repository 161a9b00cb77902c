'use client'
import { useTranslations } from 'next-intl'
import { useRef, useState } from 'react'
import { zonedText } from '../../../../../../domain/alerts/on-call.ts'
import { type FormState, noState } from '../../../../../client/form.ts'
import { ActionForm } from '../../../../../ui/forms/action-form.tsx'
import { Button, buttonClass, Field, Select, TextField } from '../../../../../ui/forms/controls.tsx'
import { clearDraft } from '../../../../../ui/forms/kept-form.ts'
import { PlainText } from '../../../../../ui/plain-text.tsx'
import { Time } from '../../../../../ui/time.tsx'
import { useToast } from '../../../../../ui/toast.tsx'
import { addOverrideAction, removeOverrideAction, replaceOverrideAction } from './actions.ts'
import type { ShownSchedule } from './schedule-fields.tsx'
import { nameOf, type Person } from './use-names.ts'

type Part = { organization: string; schedule: ShownSchedule; people: readonly Person[] }
type Override = ShownSchedule['overrides'][number]

/** Who takes over, and when on the clock of the schedule. `id` is unique on the page. */
function OverrideFields({
  id,
  schedule: { timeZone },
  people,
  opening,
  state: { fields, values },
}: {
  id: string
  schedule: ShownSchedule
  people: readonly Person[]
  opening?: Override
  state: FormState
}) {
  const t = useTranslations('incidents.onCall')
  return (
    <>
      <Field id={`${id}-person`} label={t('person')} errors={fields.person}>
        <Select
          id={`${id}-person`}
          name="person"
          defaultValue={values.person ?? opening?.person?.id}
          aria-describedby={`${id}-person-note`}
        >
          {people.map((person) => (
            <option key={person.id} value={person.id}>
              {nameOf(person)}
            </option>
          ))}
        </Select>
      </Field>
      {(['start', 'end'] as const).map((name) => (
        <TextField
          key={name}
          id={`${id}-${name}`}
          name={name}
          type="datetime-local"
          required
          label={t(name === 'start' ? 'from' : 'to', { zone: timeZone })}
          errors={fields[name]}
          defaultValue={values[name] ?? (opening && zonedText(Date.parse(opening[name]), timeZone))}
        />
      ))}
    </>
  )
}

function Hidden({ organization, schedule }: Pick<Part, 'organization' | 'schedule'>) {
  return (
    <>
      <input type="hidden" name="organization" value={organization} />
      <input type="hidden" name="schedule" value={schedule.id} />
    </>
  )
}

/** The form that lets somebody take over for a time. */
function NewOverride({ organization, schedule, people }: Part) {
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
            <Hidden organization={organization} schedule={schedule} />
            <OverrideFields id={id} schedule={schedule} people={people} state={state} />
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

/** Changes an override. What is typed stays when somebody else was quicker. */
function EditOverride({
  organization,
  schedule,
  people,
  override,
  close,
}: Part & { override: Override; close: () => void }) {
  const t = useTranslations('incidents.onCall')
  const toast = useToast()
  const name = `edit-override-${override.id}`
  return (
    <ActionForm
      action={replaceOverrideAction}
      initial={noState}
      name={name}
      className="my-2 flex max-w-[420px] flex-col gap-3"
      onDone={() => {
        toast({ text: t('overrideSaved'), stayMs: 3000 })
        close()
      }}
    >
      {(state, pending) => (
        <>
          <Hidden organization={organization} schedule={schedule} />
          <input type="hidden" name="override" value={override.id} />
          <OverrideFields id={name} schedule={schedule} people={people} opening={override} state={state} />
          <div className="flex flex-wrap gap-2">
            <Button type="submit" look="main" disabled={pending}>
              {t('saveOverride')}
            </Button>
            <Button
              disabled={pending}
              onClick={() => {
                clearDraft(name)
                close()
              }}
            >
              {t('cancel')}
            </Button>
          </div>
        </>
      )}
    </ActionForm>
  )
}

/** One override, with what a person may do to it. */
function OverrideRow({ mayWrite, ...part }: Part & { override: Override; mayWrite: boolean }) {
  const t = useTranslations('incidents.onCall')
  const { organization, schedule, override } = part
  // As it was when the form was opened: a newer one has another id.
  const [opened, setOpened] = useState<Override>()
  const opener = useRef<HTMLButtonElement>(null)
  const close = () => {
    setOpened(undefined)
    opener.current?.focus()
  }
  return (
    <li className="mt-2">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <PlainText text={nameOf(override.person)} />
        <Time at={override.start} form="moment" className="text-small text-ink-2" />
        <span aria-hidden>–</span>
        <Time at={override.end} form="moment" className="text-small text-ink-2" />
        {mayWrite ? (
          <>
            <button
              ref={opener}
              type="button"
              className={buttonClass({ compact: true })}
              aria-expanded={opened !== undefined}
              onClick={() => (opened ? close() : setOpened(override))}
            >
              {t('editOverride')}
            </button>
            <ActionForm
              action={removeOverrideAction}
              initial={noState}
              name={`remove-${override.id}`}
              className="inline"
            >
              {(_state, pending) => (
                <>
                  <Hidden organization={organization} schedule={schedule} />
                  <input type="hidden" name="override" value={override.id} />
                  <Button type="submit" compact disabled={pending}>
                    {t('remove')}
                  </Button>
                </>
              )}
            </ActionForm>
          </>
        ) : null}
      </div>
      {opened ? <EditOverride {...part} override={opened} close={close} /> : null}
    </li>
  )
}

/** The overrides of a schedule that have not ended, and the form for another one. Who may not write reads them. */
export function Overrides({ mayWrite, ...part }: Part & { mayWrite: boolean }) {
  const t = useTranslations('incidents.onCall')
  const { overrides } = part.schedule
  return (
    <>
      {mayWrite ? <NewOverride {...part} /> : null}
      {overrides.length > 0 ? (
        <ul aria-label={t('overrides')}>
          {overrides.map((override) => (
            <OverrideRow key={override.id} {...part} override={override} mayWrite={mayWrite} />
          ))}
        </ul>
      ) : null}
    </>
  )
}
