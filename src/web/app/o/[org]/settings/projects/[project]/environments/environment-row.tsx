'use client'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'next-intl'
import { noState } from '../../../../../../../client/form.ts'
import { ActionForm } from '../../../../../../../ui/forms/action-form.tsx'
import { Button } from '../../../../../../../ui/forms/controls.tsx'
import { PlainText } from '../../../../../../../ui/plain-text.tsx'
import { Time } from '../../../../../../../ui/time.tsx'
import { hideEnvironmentAction } from './actions.ts'

/** One environment with its first and last event, and a switch to hide it from selection lists. */
export function EnvironmentRow({
  place,
  environment,
  mayWrite,
}: {
  place: { organization: string; project: string }
  environment: { name: string; firstSeenMs: number; lastSeenMs: number; hidden: boolean }
  mayWrite: boolean
}) {
  const t = useTranslations('projectSettings')
  const client = useQueryClient()
  const { name, hidden } = environment
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line py-2">
      <span className="min-w-0 grow basis-[160px]">
        <code>
          <PlainText text={name} charactersMax={64} />
        </code>{' '}
        {hidden ? <span className="chip">{t('environmentHidden')}</span> : null}
      </span>
      <span className="order-last basis-full text-small text-ink-3 narrow:order-none narrow:basis-auto">
        {t('firstSeen')} <Time at={environment.firstSeenMs} />, {t('lastSeen')} <Time at={environment.lastSeenMs} />
      </span>
      <ActionForm
        action={hideEnvironmentAction}
        initial={noState}
        name={`environment-${name}`}
        className="flex"
        onDone={() => void client.invalidateQueries({ queryKey: ['environments'] })}
      >
        {(_state, pending) => (
          <>
            <input type="hidden" name="organization" value={place.organization} />
            <input type="hidden" name="project" value={place.project} />
            <input type="hidden" name="name" value={name} />
            <input type="hidden" name="hidden" value={hidden ? 'no' : 'yes'} />
            <Button
              type="submit"
              compact
              disabled={pending || !mayWrite}
              aria-label={t(hidden ? 'showNamed' : 'hideNamed', { name })}
            >
              {t(hidden ? 'show' : 'hide')}
            </Button>
          </>
        )}
      </ActionForm>
    </li>
  )
}
