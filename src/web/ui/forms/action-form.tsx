'use client'
import { unstable_rethrow } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { type FormEvent, type ReactNode, useActionState, useRef, useState, useTransition } from 'react'
import type { FormState } from '../../client/form.ts'
import { reloadOnce, report } from '../../client/report.ts'
import { SeverityShape } from '../severity.tsx'
import { clearDraft, draftRevision, useFormDraft } from './kept-form.ts'

/**
 * A form for a server action. Before hydration the browser submits it; afterwards this component calls the action, so
 * that the form survives a network or server error and shows it. Typed values survive a reload.
 */
export function ActionForm<State extends FormState>({
  action,
  initial,
  name,
  className = 'flex flex-col gap-4',
  guarded = false,
  onDone,
  children,
}: {
  action: (before: State, data: FormData) => Promise<State>
  initial: State
  /** Name of the form on its page, to store its values. */
  name: string
  className?: string
  /**
   * Sends the revision that was current when the person began to type, even after a reload. Otherwise a reload could
   * overwrite changes that nobody has seen. For forms that can resolve a conflict.
   */
  guarded?: boolean
  onDone?: (state: State) => void
  children: (state: State, pending: boolean) => ReactNode
}) {
  const t = useTranslations('common')
  const form = useRef<HTMLFormElement>(null)
  const [sent, formAction] = useActionState<State, FormData>(
    action as (before: Awaited<State>, data: FormData) => Promise<State>,
    initial as Awaited<State>,
  )
  const [answered, setAnswered] = useState<State | undefined>(undefined)
  const [pending, start] = useTransition()
  const state = answered ?? sent
  useFormDraft(form, name)

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const element = event.currentTarget
    const data = new FormData(element, (event.nativeEvent as SubmitEvent).submitter)
    const draftBase = guarded ? draftRevision(name) : undefined
    if (draftBase !== undefined) data.set('revision', draftBase)
    start(async () => {
      try {
        const next = await action(state, data)
        setAnswered(next)
        if (!next.done) return
        clearDraft(name)
        element.reset()
        onDone?.(next)
      } catch (error) {
        // A redirect arrives as an error, but the form succeeded.
        try {
          unstable_rethrow(error)
        } catch (redirection) {
          clearDraft(name)
          throw redirection
        }
        if (reloadOnce(error)) return
        report(error, `form ${name}`)
        setAnswered({ ...state, fields: {}, error: t('actionFailed'), done: false })
      }
    })
  }

  return (
    <form ref={form} action={formAction} onSubmit={submit} className={className} noValidate>
      {state.error ? (
        <p role="alert" className="flex items-baseline gap-2 text-error">
          <SeverityShape level="error" label="" />
          <span>{state.error}</span>
        </p>
      ) : null}
      {children(state, pending)}
    </form>
  )
}
