'use client'
import { useTranslations } from 'next-intl'
import type { PersonalKind, SummaryKind } from '../../../domain/alerts/personal.ts'
import { noState } from '../../client/form.ts'
import { ActionForm } from '../../ui/forms/action-form.tsx'
import { Button } from '../../ui/forms/controls.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { unsubscribeAction } from './actions.ts'

/** Unsubscribes by a button, because mail programs open links by themselves. */
export function UnsubscribeForm({
  token,
  kind,
  organization,
  isDone,
}: {
  token: string
  kind: PersonalKind | SummaryKind
  organization: { slug: string; name: string }
  isDone: boolean
}) {
  const t = useTranslations('personal')
  const texts = { kind: t(`kinds.${kind}`), organization: organization.name }
  return (
    <ActionForm action={unsubscribeAction} initial={noState} name="unsubscribe">
      {(state, pending) => (
        <>
          {state.done || isDone ? (
            <p role="status">
              <PlainText text={t('unsubscribeDone', texts)} />
            </p>
          ) : (
            <>
              <p className="text-ink-2">
                <PlainText text={t('unsubscribeIntro', texts)} />
              </p>
              <input type="hidden" name="token" value={token} />
              <div>
                <Button type="submit" look="main" disabled={pending}>
                  {t('unsubscribeNow')}
                </Button>
              </div>
            </>
          )}
          <p>
            <Link href={`/o/${organization.slug}/settings/account/notifications`}>{t('allSettings')}</Link>
          </p>
        </>
      )}
    </ActionForm>
  )
}
