'use client'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import { noState } from '../../../../../client/form.ts'
import { CopyButton } from '../../../../../ui/copy/copy-button.tsx'
import { ActionForm } from '../../../../../ui/forms/action-form.tsx'
import { Button, Input } from '../../../../../ui/forms/controls.tsx'
import { PlainText } from '../../../../../ui/plain-text.tsx'
import type { TrackerState } from './actions.ts'

export const startState: TrackerState = { ...noState, secret: null, notice: null }

/** The action of a form. */
export type TrackerAction = (before: TrackerState, data: FormData) => Promise<TrackerState>

/** The secret of a webhook, shown once, and the answer of the service. */
export function Results({ state }: { state: TrackerState }) {
  const t = useTranslations('integrations')
  return (
    <>
      {state.secret ? (
        <div className="box p-3" role="status">
          <p className="mb-2">{t('secretOnce')}</p>
          <div className="flex items-center gap-2">
            <code className="min-w-0 break-all">{state.secret}</code>
            <CopyButton text={state.secret} label={t('copySecret')} />
          </div>
        </div>
      ) : null}
      {state.notice ? (
        <span role="status" className="text-small text-ink-2 wrap-anywhere">
          <PlainText text={state.notice} charactersMax={500} />
        </span>
      ) : null}
    </>
  )
}

/** A button that acts on one thing of the page. `hidden`: the fields that name it. */
export function ActButton({
  action,
  name,
  hidden,
  danger = false,
  label,
  children,
}: {
  action: TrackerAction
  name: string
  hidden: Readonly<Record<string, string>>
  danger?: boolean
  label?: string
  children: ReactNode
}) {
  return (
    <ActionForm action={action} initial={startState} name={name} className="flex flex-wrap items-baseline gap-2">
      {(state, pending) => (
        <>
          <Results state={state} />
          {Object.entries(hidden).map(([field, value]) => (
            <input key={field} type="hidden" name={field} value={value} />
          ))}
          <Button
            type="submit"
            compact
            {...(danger ? { look: 'danger' as const } : {})}
            {...(label === undefined ? {} : { 'aria-label': label })}
            disabled={pending}
          >
            {children}
          </Button>
        </>
      )}
    </ActionForm>
  )
}

/** A check box with its label. */
export function Check({ id, name, label, on }: { id: string; name: string; label: string; on: boolean }) {
  return (
    <label htmlFor={id} className="flex items-center gap-2">
      <Input id={id} type="checkbox" name={name} defaultChecked={on} className="checkbox" />
      {label}
    </label>
  )
}
