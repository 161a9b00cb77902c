'use client'
import { useTranslations } from 'next-intl'
import { noState } from '../../client/form.ts'
import { ActionForm } from '../../ui/forms/action-form.tsx'
import { Button } from '../../ui/forms/controls.tsx'
import { acknowledgeAction } from './actions.ts'

/** Acknowledges by a button, because mail programs and chats open links by themselves. */
export function AcknowledgeForm({ token, isDone }: { token: string; isDone: boolean }) {
  const t = useTranslations('incidents.acknowledgePage')
  return (
    <ActionForm action={acknowledgeAction} initial={noState} name="acknowledge">
      {(state, pending) =>
        state.done || isDone ? (
          <p role="status">{t('done')}</p>
        ) : (
          <>
            <p className="text-ink-2">{t('hint')}</p>
            <input type="hidden" name="token" value={token} />
            <div>
              <Button type="submit" look="main" disabled={pending}>
                {t('button')}
              </Button>
            </div>
          </>
        )
      }
    </ActionForm>
  )
}
