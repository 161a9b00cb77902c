'use client'
import './error-links.css'
import { Link2 } from 'lucide-react'
import { useTranslations } from 'next-intl'
import type { RestClientEnds, RestErrorLink } from '../../../contract/error-links.ts'
import type { RestEvent } from '../../../contract/events.ts'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Certainty } from './certainty.tsx'

/** The event at the other end of an error link, as a path. Undefined if none is known, or its issue is gone. */
function otherEnd(base: string, link: RestErrorLink | null): string | undefined {
  const end = link?.side === 'browser' ? link.server : link?.browser?.newest[0]
  return end?.groupID ? `${base}/${end.groupID}/events/${end.eventID}` : undefined
}

/** Server and browser: the end that is shown, and a link to the other. */
function Ends({ side, href }: { side: RestErrorLink['side']; href: string }) {
  const t = useTranslations('failures.line')
  return (
    <nav className="segments" aria-label={t('ends')}>
      {(['server', 'browser'] as const).map((end) =>
        end === side ? (
          <span key={end} aria-current="page">
            {t(end)}
          </span>
        ) : (
          <Link key={end} href={href}>
            {t(end)}
          </Link>
        ),
      )}
    </nav>
  )
}

type DigestLineProps = {
  event: Pick<RestEvent, 'digest' | 'digests'>
  /** Path of the issues: `/o/acme/issues`. */
  base: string
  link: RestErrorLink | null
  clientEnds: RestClientEnds
}

/** Where the error was thrown, what the browser shows of it, and its digest, on one line. */
export function DigestLine({ event, base, link, clientEnds }: DigestLineProps) {
  const t = useTranslations('failures.line')
  const page = useTranslations('issues.page')
  const { digest, digests } = event
  const href = otherEnd(base, link)
  const isServer = link?.side === 'server' && clientEnds.events > 0
  if (!digest && !href && !isServer) return null
  return (
    <div className="digest-line">
      <Link2 size={14} strokeWidth={1.75} aria-hidden="true" />
      {isServer ? (
        <p className="digest-ends">
          <b>{t('thrown')}</b>{' '}
          <a className="link" href="#browser-side">
            {t('inBrowser', { events: clientEnds.events, people: clientEnds.people })}
          </a>
        </p>
      ) : null}
      {digest ? (
        <p className="event-digest">
          {page('digest')}{' '}
          <Link className="link" href={`/d/${encodeURIComponent(digest.value)}`}>
            <code>
              <PlainText text={digest.value} charactersMax={200} />
            </code>
          </Link>{' '}
          <span className="text-ink-3">
            <PlainText text={page('digestFound', { place: digest.found })} charactersMax={200} />
          </span>{' '}
          <Certainty sure={digests.some((other) => other.sure && other.value === digest.value)} />{' '}
          {digests.length > 1 ? (
            <a className="link" href="#digests">
              {page('allDigests', { count: digests.length })}
            </a>
          ) : null}
        </p>
      ) : null}
      {link && href ? <Ends side={link.side} href={href} /> : null}
    </div>
  )
}
