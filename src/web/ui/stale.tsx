'use client'
import { useTranslations } from 'next-intl'
import type { GuardedState } from '../client/form.ts'
import { Button } from './forms/controls.tsx'
import { clearDraft } from './forms/kept-form.ts'

/**
 * Shown after a conflict in a settings form: who saved first, and the choice to overwrite or reload. The form keeps the
 * typed text until the person chooses.
 */
export function Stale({
  form,
  stale,
  pending,
}: {
  form: string
  stale: NonNullable<GuardedState['stale']>
  pending: boolean
}) {
  const t = useTranslations('projectSettings')
  return (
    <div role="alert" className="box flex flex-col gap-3 p-3">
      <p>{t('stale', { who: stale.by ?? t('somebody') })}</p>
      <div className="flex flex-wrap gap-2">
        <Button
          onClick={() => {
            clearDraft(form)
            location.reload()
          }}
        >
          {t('loadTheirs')}
        </Button>
        <Button type="submit" name="anyway" value="yes" disabled={pending}>
          {t('saveAnyway')}
        </Button>
      </div>
    </div>
  )
}
