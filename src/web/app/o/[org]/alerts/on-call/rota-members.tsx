'use client'
import { useTranslations } from 'next-intl'
import { useRef, useState } from 'react'
import { Button, Select } from '../../../../../ui/forms/controls.tsx'
import { PlainText } from '../../../../../ui/plain-text.tsx'
import { movedSlot, type Slot, slotsMax, slotsOf, withoutSlot, withPerson } from './rota-slots.ts'
import { type Person, useNames } from './use-names.ts'

/** The turns of a rota in their order, as the fields `member` of a form. They move by buttons, so by keyboard too. */
export function RotaMembers({
  id,
  people,
  opening,
  errors,
}: {
  id: string
  people: readonly Person[]
  /** User ids in their order. '' is a turn of a person who has left. */
  opening: readonly string[]
  errors: string[] | undefined
}) {
  const t = useTranslations('incidents.onCall')
  const nameOf = useNames(people)
  const [slots, setSlots] = useState<readonly Slot[]>(() => slotsOf(opening))
  const [spoken, setSpoken] = useState('')
  const select = useRef<HTMLSelectElement>(null)
  const isFull = slots.length >= slotsMax
  const move = (slot: Slot, by: number) => {
    const next = movedSlot(slots, slot.key, by)
    setSlots(next)
    setSpoken(t('moved', { name: nameOf(slot.userId), at: next.indexOf(slot) + 1, count: next.length }))
  }
  const remove = (slot: Slot) => {
    setSlots(withoutSlot(slots, slot.key))
    setSpoken(t('removed', { name: nameOf(slot.userId) }))
    // The button that had the focus is gone.
    select.current?.focus()
  }
  const add = () => {
    const userId = select.current?.value ?? ''
    setSlots(withPerson(slots, userId))
    setSpoken(t('added', { name: nameOf(userId), at: slots.length + 1 }))
  }
  return (
    <fieldset aria-describedby={`${id}-note`}>
      <legend className="font-[550]">{t('members')}</legend>
      <div id={`${id}-note`} className="text-small text-ink-3">
        {errors?.length ? (
          <p role="alert" className="text-error">
            {errors.join(' ')}
          </p>
        ) : (
          t('membersHint')
        )}
      </div>
      <ol className="mt-2 border-t border-line">
        {slots.map((slot, at) => (
          <li key={slot.key} className="flex flex-wrap items-center gap-2 border-b border-line py-1">
            <input type="hidden" name="member" value={slot.userId} />
            <span className="w-6 text-ink-3">{at + 1}</span>
            <span className="min-w-0 flex-1 break-words">
              <PlainText text={nameOf(slot.userId)} />
            </span>
            <Button compact aria-disabled={at === 0 || undefined} onClick={() => move(slot, -1)}>
              {t('up')} <span className="visually-hidden">{nameOf(slot.userId)}</span>
            </Button>
            <Button compact aria-disabled={at === slots.length - 1 || undefined} onClick={() => move(slot, 1)}>
              {t('down')} <span className="visually-hidden">{nameOf(slot.userId)}</span>
            </Button>
            <Button compact onClick={() => remove(slot)}>
              {t('takeOut')} <span className="visually-hidden">{nameOf(slot.userId)}</span>
            </Button>
          </li>
        ))}
      </ol>
      <div className="mt-2 flex flex-wrap items-center gap-2">
        <div className="min-w-0 flex-1">
          <Select ref={select} aria-label={t('personToAdd')} disabled={isFull}>
            {people.map((person) => (
              <option key={person.id} value={person.id}>
                {nameOf(person.id)}
              </option>
            ))}
          </Select>
        </div>
        <Button onClick={add} disabled={isFull}>
          {t('addTurn')}
        </Button>
      </div>
      <p role="status" className="visually-hidden">
        {spoken}
      </p>
    </fieldset>
  )
}
