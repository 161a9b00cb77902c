'use client'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { apiFetch } from '../../client/api.ts'
import { Button } from '../../ui/forms/controls.tsx'
import { useToast } from '../../ui/toast.tsx'
import { useEditor } from './editor-context.ts'

/** Sends a test message through each channel of the rule, and says what each service answered. */
export function TestButton() {
  const t = useTranslations('alerts.test')
  const toast = useToast()
  const { organization, draft, known, mayTest } = useEditor()
  const [isSending, setSending] = useState(false)
  const channels = known.channels.filter(({ id }) =>
    draft.actions.some((action) => action.type === 'channel' && action.channel === id),
  )
  async function send(): Promise<void> {
    setSending(true)
    for (const { id, name } of channels) {
      try {
        await apiFetch(`organizations/${organization}/notification-channels/${id}/test/`, { method: 'POST' })
        toast({ text: t('sent', { name }) })
      } catch (error) {
        const cause = error instanceof Error ? error.message : ''
        toast({ kind: 'error', text: t('failed', { name, cause }), stayMs: 20_000 })
      }
    }
    setSending(false)
  }
  if (!mayTest) return null
  return (
    <Button
      disabled={isSending || channels.length === 0}
      title={channels.length === 0 ? t('none') : undefined}
      onClick={() => void send()}
    >
      {t('send')}
    </Button>
  )
}
