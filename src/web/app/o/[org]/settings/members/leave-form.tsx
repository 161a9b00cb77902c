'use client'
import { useTranslations } from 'next-intl'
import { ActionForm } from '../../../../../ui/forms/action-form.tsx'
import { Button } from '../../../../../ui/forms/controls.tsx'
import { leaveAction } from './actions.ts'
import { startState } from './state.ts'

/** Ends the person's own membership. The last owner gets an error instead. */
export function LeaveForm({ organization }: { organization: string }) {
  const t = useTranslations('people')
  return (
    <section className="mt-10">
      <h2 className="mb-2">{t('leave')}</h2>
      <p className="mb-3 max-w-[72ch] text-ink-2">{t('leaveHint')}</p>
      <ActionForm action={leaveAction} initial={startState} name="leave">
        {(_state, pending) => (
          <>
            <input type="hidden" name="organization" value={organization} />
            <div>
              <Button type="submit" look="danger" disabled={pending}>
                {t('leave')}
              </Button>
            </div>
          </>
        )}
      </ActionForm>
    </section>
  )
}
