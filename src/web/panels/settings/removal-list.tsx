import { useTranslations } from 'next-intl'
import type { Removal } from '../../../store/meta/retention/removals.ts'
import { LookAgain } from '../../ui/look-again.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { RelativeTime } from '../../ui/time.tsx'

/** Deletions, each with how far it is and what it took; looks again until all have ended. */
export function RemovalList({ removals }: { removals: readonly Removal[] }) {
  const t = useTranslations('people')
  return (
    <ul>
      {removals.some((one) => one.endedMs === null) ? <LookAgain /> : null}
      {removals.map((one) => (
        <li key={one.id} className="flex flex-wrap gap-x-3 border-t border-line py-2">
          <span className="font-[550]">
            <PlainText text={one.title} charactersMax={80} />
          </span>
          <span className="text-ink-2">{t(`kind_${one.kind}`)}</span>
          <span>{t(`stage_${one.stage}`)}</span>
          <span className="text-ink-2">{t('removed', { events: one.events, files: one.blobs })}</span>
          {one.error ? (
            <span className="text-error">
              <PlainText text={one.error} charactersMax={300} />
            </span>
          ) : null}
          <RelativeTime at={one.createdMs} className="text-ink-3" />
        </li>
      ))}
    </ul>
  )
}

/** Organizations that a person deleted: the proof outlives them. Nothing where there is none. */
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
