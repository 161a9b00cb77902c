'use client'
import { useTranslations } from 'next-intl'
import type { RestTombstone } from '../../../../../../../../contract/removals.ts'
import { noState } from '../../../../../../../client/form.ts'
import { ActionForm } from '../../../../../../../ui/action-form.tsx'
import { Button } from '../../../../../../../ui/controls.tsx'
import { PlainText } from '../../../../../../../ui/plain-text.tsx'
import { Time } from '../../../../../../../ui/time.tsx'
import { useToast } from '../../../../../../../ui/toast.tsx'
import { removeTombstoneAction } from './actions.ts'

/** One tombstone, with a button that removes it. */
export function TombstoneRow({
  place,
  tombstone,
  mayWrite,
}: {
  place: { organization: string; project: string }
  tombstone: RestTombstone
  mayWrite: boolean
}) {
  const t = useTranslations('triage.tombstones')
  const toast = useToast()
  const { id, title, culprit, hashes, actor, dateCreated } = tombstone
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line py-2">
      <span className="min-w-0 grow basis-[200px]">
        <code>
          <PlainText text={id} charactersMax={80} />
        </code>{' '}
        {title ? <PlainText text={title} charactersMax={200} /> : <span className="text-ink-3">{t('unknown')}</span>}
        <span className="block text-ink-3">
          {culprit ? (
            <>
              <PlainText text={culprit} charactersMax={200} /> ·{' '}
            </>
          ) : null}
          {t('hashes', { count: hashes.length })} · <Time at={dateCreated} />{' '}
          {actor ? <PlainText text={t('by', { name: actor.name || actor.email })} charactersMax={100} /> : null}
        </span>
      </span>
      <ActionForm
        action={removeTombstoneAction}
        initial={noState}
        name={`tombstone-${id}`}
        className="flex"
        onDone={() => toast({ text: t('removed', { title: id }) })}
      >
        {(_state, pending) => (
          <>
            <input type="hidden" name="organization" value={place.organization} />
            <input type="hidden" name="project" value={place.project} />
            <input type="hidden" name="tombstone" value={id} />
            <Button type="submit" compact disabled={pending || !mayWrite}>
              {t('remove')}
            </Button>
          </>
        )}
      </ActionForm>
    </li>
  )
}
