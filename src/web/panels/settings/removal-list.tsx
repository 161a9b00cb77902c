import { useTranslations } from 'next-intl'
import type { Removal } from '../../../store/meta/retention/removals.ts'
import { AutoRefresh } from '../../ui/auto-refresh.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Time } from '../../ui/time.tsx'

/** Deletions with their progress and the number of removed events and files. Refreshes until all have ended. */
export function RemovalList({ removals }: { removals: readonly Removal[] }) {
  const t = useTranslations('people')
  return (
    <ul>
      {removals.some((removal) => removal.endedMs === null) ? <AutoRefresh /> : null}
      {removals.map((removal) => (
        <li key={removal.id} className="flex flex-wrap gap-x-3 border-t border-line py-2">
          <span className="font-[550]">
            <PlainText text={removal.title} charactersMax={80} />
          </span>
          <span className="text-ink-2">{t(`kind_${removal.kind}`)}</span>
          <span>{t(`stage_${removal.stage}`)}</span>
          <span className="text-ink-2">{t('removed', { events: removal.events, files: removal.blobs })}</span>
          {removal.error ? (
            <span className="text-error">
              <PlainText text={removal.error} charactersMax={300} />
            </span>
          ) : null}
          <Time at={removal.createdMs} className="text-ink-3" />
        </li>
      ))}
    </ul>
  )
}

/** Organizations that the person deleted. These records outlive the organizations. Empty if there are none. */
export function OwnRemovals({ removals }: { removals: readonly Removal[] }) {
  const t = useTranslations('people')
  if (removals.length === 0) return null
  return (
    <section className="mt-10">
      <h2 className="mb-2">{t('ownRemovals')}</h2>
      <p className="mb-3 text-ink-2">{t('ownRemovalsHint')}</p>
      <RemovalList removals={removals} />
    </section>
  )
}
