'use client'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import { type FormState, noState } from '../../client/form.ts'
import { ActionForm } from './action-form.tsx'
import { Button, TextField } from './controls.tsx'

/** A form for irreversible deletion. The name must be typed first (field `typed`; the action compares it). */
export function TypedDelete({
  action,
  form,
  hidden,
  typed,
  title,
  hint,
  children,
}: {
  action: (before: FormState, data: FormData) => Promise<FormState>
  /** Name of the form on its page. */
  form: string
  hidden: Record<string, string>
  /** The text to type. */
  typed: string
  title: string
  hint: string
  children?: ReactNode
}) {
  const t = useTranslations('people')
  return (
    <ActionForm action={action} initial={noState} name={form} className="flex max-w-[560px] flex-col gap-3">
      {(state, pending) => (
        <>
          <h3>{title}</h3>
          <p className="text-ink-2">{hint}</p>
          {Object.entries(hidden).map(([key, value]) => (
            <input key={key} type="hidden" name={key} value={value} />
          ))}
          {children}
          <TextField
            id={`${form}-typed`}
            name="typed"
            label={t('typeName', { name: typed })}
            errors={state.fields.typed}
            autoComplete="off"
            required
          />
          <div>
            <Button type="submit" look="danger" disabled={pending}>
              {t('deleteNow')}
            </Button>
          </div>
        </>
      )}
    </ActionForm>
  )
}
