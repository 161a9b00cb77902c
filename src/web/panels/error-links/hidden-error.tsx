'use client'
import './error-links.css'
import { useTranslations } from 'next-intl'
import type { RestErrorLink } from '../../../contract/error-links.ts'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Certainty } from './certainty.tsx'

/** The server error that a browser event hides. Without a link: the reason, and how to get links in future. */
export function HiddenError({
  organization,
  project,
  failure,
  isSureDigest,
}: {
  organization: string
  /** Slug of the event's project. Its setup screen shows the hook. */
  project: string
  failure: RestErrorLink
  /** Whether the event has a digest that is certainly its own. */
  isSureDigest: boolean
}) {
  const t = useTranslations('failures')
  const { server, alone: unlinkedReason } = failure
  if (failure.side !== 'browser') return null
  return (
    <section
      className="hidden-error"
      data-state={unlinkedReason ?? 'linked'}
      aria-label={t('label')}
      aria-live="polite"
    >
      {server ? (
        <>
          <p className="hidden-error-said">
            <b>{t('hides')}</b>{' '}
            <Link className="link" href={`/o/${organization}/issues/${server.groupID}/events/${server.eventID}`}>
              <PlainText text={server.title} charactersMax={200} />
            </Link>{' '}
            <code className="text-ink-3">{server.shortId}</code>{' '}
            <span className="text-ink-3">
              <PlainText text={t('inProject', { project: server.projectSlug })} charactersMax={120} />
            </span>{' '}
            <Certainty sure={server.sure} />
          </p>
          <p className="text-ink-2">{t(`why.${server.reason}`)}</p>
        </>
      ) : (
        <>
          <p>
            <b>{t('aloneTitle')}</b> {t(`alone.${unlinkedReason ?? 'none'}`)}
          </p>
          {unlinkedReason === 'waiting' ? null : (
            <p className="text-ink-2">
              {t(unlinkedReason === 'none' && isSureDigest ? 'hookServer' : 'hookMissing')}{' '}
              <Link className="link" href={`/o/${organization}/projects/${project}/setup?digests=1#digest-hook`}>
                {t('hook')}
              </Link>
            </p>
          )}
        </>
      )}
    </section>
  )
}
