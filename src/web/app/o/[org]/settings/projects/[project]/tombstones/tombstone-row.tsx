'use client'
import { useLocale, useTranslations } from 'next-intl'
import type { RestTombstone } from '../../../../../../../../contract/removals.ts'
import { noState } from '../../../../../../../client/form.ts'
import { ActionForm } from '../../../../../../../ui/forms/action-form.tsx'
import { Button } from '../../../../../../../ui/forms/controls.tsx'
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
  const number = new Intl.NumberFormat(useLocale())
  const { id, title, culprit, hashes, actor, dateCreated } = tombstone
  return (
    <tr>
      <td>
        <code>
          <PlainText text={id} charactersMax={80} />
        </code>{' '}
        {title ? <PlainText text={title} charactersMax={200} /> : <span className="text-ink-3">{t('unknown')}</span>}
        {culprit ? (
          <span className="block text-ink-3">
            <PlainText text={culprit} charactersMax={200} />
          </span>
        ) : null}
      </td>
      <td className="number">{number.format(hashes.length)}</td>
      <td className="whitespace-nowrap">
        <Time at={dateCreated} />{' '}
        {actor ? (
          <span className="text-ink-3">
            <PlainText text={t('by', { name: actor.name || actor.email })} charactersMax={100} />
          </span>
        ) : null}
      </td>
      <td className="text-right">
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
      </td>
    </tr>
  )
}
