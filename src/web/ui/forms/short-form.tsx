'use client'
import type { ReactNode } from 'react'
import type { FormState } from '../../client/form.ts'
import { ActionForm } from './action-form.tsx'
import { Button, NameField } from './controls.tsx'

/**
 * The layout of short forms: a name field, its error, further fields (`children`), one button. `before` appears above
 * the name. `hidden` are hidden fields. `disabled` disables all.
 */
export function ShortForm<State extends FormState>({
  action,
  initial,
  form,
  hidden,
  field,
  submit,
  look,
  disabled = false,
  className = 'flex flex-col gap-3',
  before,
  children,
}: {
  action: (before: State, data: FormData) => Promise<State>
  initial: State
  /** Name of the form on its page. */
  form: string
  hidden: Record<string, string>
  field: { id: string; name?: string; label: string; hint?: string; errorsOf?: readonly string[] }
  submit: string
  look?: 'main'
  disabled?: boolean
  className?: string
  before?: (state: State) => ReactNode
  children?: (state: State) => ReactNode
}) {
  const name = field.name ?? 'name'
  return (
    <ActionForm action={action} initial={initial} name={form} className={className}>
      {(state, pending) => (
        <>
          {before?.(state)}
          <fieldset disabled={disabled} className="flex flex-col gap-4">
            {Object.entries(hidden).map(([key, value]) => (
              <input key={key} type="hidden" name={key} value={value} />
            ))}
            <NameField
              id={field.id}
              name={name}
              label={field.label}
              hint={field.hint}
              errors={[name, ...(field.errorsOf ?? [])].map((key) => state.fields[key]).find(Boolean)}
              defaultValue={state.values[name]}
            />
            {children?.(state)}
            <div>
              <Button type="submit" {...(look ? { look } : {})} disabled={pending || disabled}>
                {submit}
              </Button>
            </div>
          </fieldset>
        </>
      )}
    </ActionForm>
  )
}
