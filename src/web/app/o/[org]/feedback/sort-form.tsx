'use client'
import { useTranslations } from 'next-intl'
import type { RestFeedback } from '../../../../../contract/feedback.ts'
import { noState } from '../../../../client/form.ts'
import { ActionForm } from '../../../../ui/forms/action-form.tsx'
import { Button } from '../../../../ui/forms/controls.tsx'
import { deleteFeedbackAction, sortFeedbackAction } from './actions.ts'

const ways = {
  new: ['resolved', 'spam'],
  resolved: ['new', 'spam'],
  spam: ['new'],
} as const
const words = { new: 'makeNew', resolved: 'makeResolved', spam: 'makeSpam' } as const

/** Buttons for a feedback's possible next states, and for its deletion. */
export function SortForm({
  organization,
  id,
  status,
  mayDelete,
}: {
  organization: string
  id: string
  status: RestFeedback['status']
  mayDelete: boolean
}) {
  const t = useTranslations('people')
  const hidden = (
    <>
      <input type="hidden" name="organization" value={organization} />
      <input type="hidden" name="feedback" value={id} />
    </>
  )
  return (
    <div className="flex flex-wrap gap-2">
      <ActionForm action={sortFeedbackAction} initial={noState} name={`feedback-${id}`} className="flex gap-2">
        {(_state, pending) => (
          <>
            {hidden}
            {ways[status].map((way) => (
              <Button key={way} type="submit" compact name="state" value={way} disabled={pending}>
                {t(words[way])}
              </Button>
            ))}
          </>
        )}
      </ActionForm>
      {mayDelete ? (
        <ActionForm action={deleteFeedbackAction} initial={noState} name={`feedback-end-${id}`} className="flex">
          {(_state, pending) => (
            <>
              {hidden}
              <Button type="submit" compact look="danger" disabled={pending}>
                {t('deleteFeedback')}
              </Button>
            </>
          )}
        </ActionForm>
      ) : null}
    </div>
  )
}
