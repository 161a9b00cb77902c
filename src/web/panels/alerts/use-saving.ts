'use client'
import { useRouter } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { useRef, useState } from 'react'
import type { RestAlertRule } from '../../../contract/alerts/alerts.ts'
import { ApiError, apiFetch } from '../../client/api.ts'
import { useToast } from '../../ui/toast.tsx'
import { bodyOf, mistakesIn, type RuleDraft } from './draft.ts'

/** Somebody else saved first: who, and the rule as it is now. */
export type Conflict = { by: string | null; theirs: RestAlertRule }

type Saving = {
  isSaving: boolean
  fields: Readonly<Record<string, string[]>>
  error: Error | null
  conflict: Conflict | undefined
  /** Stores the draft over `revision`, by default the one that the form began from. */
  save: (draft: RuleDraft, revision?: number) => Promise<void>
  /** Forgets mistakes and a conflict. */
  reset: () => void
}

/** Saves a rule. A new one opens at its own address. After a conflict nothing is stored. */
export function useSaving(
  organization: string,
  rule: RestAlertRule | undefined,
  onSaved: (rule: RestAlertRule) => void,
): Saving {
  const t = useTranslations('alerts.form')
  const router = useRouter()
  const toast = useToast()
  const [isSaving, setSaving] = useState(false)
  const [fields, setFields] = useState<Readonly<Record<string, string[]>>>({})
  const [error, setError] = useState<Error | null>(null)
  const [conflict, setConflict] = useState<Conflict>()
  const base = `organizations/${organization}/alerts/`
  // Two presses of the key before the next paint would create two rules.
  const isBusy = useRef(false)
  function reset(): void {
    setFields({})
    setError(null)
    setConflict(undefined)
  }
  async function failed(cause: unknown): Promise<void> {
    if (cause instanceof ApiError && cause.status === 409 && rule && cause.current) {
      setConflict({ by: cause.current.by, theirs: await apiFetch<RestAlertRule>(`${base}${rule.id}/`) })
      return
    }
    if (cause instanceof ApiError && Object.keys(cause.fields).length > 0) setFields(cause.fields)
    else setError(cause instanceof Error ? cause : new Error(t('failed')))
  }
  async function save(draft: RuleDraft, revision = rule?.revision): Promise<void> {
    if (isBusy.current) return
    reset()
    const mistakes = mistakesIn(draft)
    if (mistakes.length > 0) {
      setFields(Object.fromEntries(mistakes.map((field) => [field, [t(`missing.${field.replaceAll('.', '_')}`)]])))
      return
    }
    setSaving(true)
    isBusy.current = true
    try {
      const stored = await apiFetch<RestAlertRule>(rule ? `${base}${rule.id}/` : base, {
        method: rule ? 'PUT' : 'POST',
        body: rule ? { ...bodyOf(draft), revision } : bodyOf(draft),
      })
      toast({ text: t('saved', { name: stored.name }), stayMs: 3000 })
      onSaved(stored)
      if (!rule) router.replace(`/o/${organization}/alerts/${stored.id}`)
    } catch (cause) {
      await failed(cause).catch((other: unknown) => setError(other instanceof Error ? other : new Error(t('failed'))))
    } finally {
      isBusy.current = false
      setSaving(false)
    }
  }
  return { isSaving, fields, error, conflict, save, reset }
}
