import type { ButtonHTMLAttributes, ComponentProps, ReactNode, TextareaHTMLAttributes } from 'react'

type Look = { look?: 'main' | 'plain' | 'danger'; compact?: boolean; icon?: boolean }

/** Class names of a button, for links that look like buttons. */
export function buttonClass({ look, compact, icon }: Look, extra = ''): string {
  return ['button', look && `button-${look}`, compact && 'button-compact', icon && 'button-icon', extra]
    .filter(Boolean)
    .join(' ')
}

/** A button. `type` defaults to "button". */
export function Button({
  look,
  compact,
  icon,
  className,
  type = 'button',
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & Look) {
  return (
    <button
      type={type}
      className={buttonClass({ ...(look ? { look } : {}), compact: compact ?? false, icon: icon ?? false }, className)}
      {...rest}
    />
  )
}

/** A text input. */
export function Input({ className = '', ...rest }: ComponentProps<'input'>) {
  return <input className={`input ${className}`} {...rest} />
}

/** A text field with several lines. */
export function TextArea({ className = '', ...rest }: TextareaHTMLAttributes<HTMLTextAreaElement>) {
  return <textarea className={`input ${className}`} {...rest} />
}

/** A native select. */
export function Select({ className = '', ...rest }: ComponentProps<'select'>) {
  return <select className={`input ${className}`} {...rest} />
}

/** Label, control, hint and errors of one field. The control needs `id` and `aria-describedby={`${id}-note`}`. */
export function Field({
  id,
  label,
  hint,
  errors,
  children,
}: {
  id: string
  label: string
  hint?: string | undefined
  errors?: string[] | undefined
  children: ReactNode
}) {
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="font-[550]">
        {label}
      </label>
      {children}
      <div id={`${id}-note`} className="text-small text-ink-3">
        {errors?.length ? (
          <p role="alert" className="text-error">
            {errors.join(' ')}
          </p>
        ) : (
          hint
        )}
      </div>
    </div>
  )
}

/** A single-line text field. All props except label, hint and errors go to the input. */
export function TextField({
  label,
  hint,
  errors,
  ...input
}: ComponentProps<'input'> & {
  id: string
  name: string
  label: string
  hint?: string | undefined
  errors: string[] | undefined
}) {
  return (
    <Field id={input.id} label={label} hint={hint} errors={errors}>
      <Input aria-invalid={Boolean(errors)} aria-describedby={`${input.id}-note`} {...input} />
    </Field>
  )
}

/** A field for a name of 1 to 64 characters. */
export function NameField({
  name = 'name',
  ...field
}: Omit<ComponentProps<typeof TextField>, 'name'> & { name?: string }) {
  return <TextField name={name} required maxLength={64} {...field} />
}
