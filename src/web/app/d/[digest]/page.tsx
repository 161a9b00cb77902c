import type { Metadata } from 'next'
import { notFound, redirect } from 'next/navigation'
import { getTranslations } from 'next-intl/server'
import { pastedDigest } from '../../../../domain/pasted-digest.ts'
import { type DigestHit, digestHits } from '../../../panels/search/jump.ts'
import { demandActor } from '../../../server/session.ts'
import { Link } from '../../../ui/link.tsx'
import { PlainText } from '../../../ui/plain-text.tsx'
import { Time } from '../../../ui/time.tsx'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('issues.digest'))('title') }
}

/** Opens the event of a digest, a choice if several issues have it, or the 404 page. */
export default async function DigestPage({ params }: { params: Promise<{ digest: string }> }) {
  const requested = decodeURIComponent((await params).digest).slice(0, 2000)
  const digest = pastedDigest(requested)?.digest ?? requested.slice(0, 200)
  const actor = await demandActor(`/d/${encodeURIComponent(digest)}`)
  const t = await getTranslations('issues.digest')
  const { hits, away } = await digestHits(actor, digest)
  const [only] = hits
  if (hits.length === 1 && only) redirect(pathOf(only))
  if (hits.length === 0 && !away) notFound()
  return (
    <main className="narrow-page" style={{ width: 'min(640px, 100%)' }}>
      <h1>
        {t('title')} <code>{digest}</code>
      </h1>
      <p className="mt-2 text-ink-2">{away ? t('away') : t('several', { count: hits.length })}</p>
      <ul className="mt-4">
        {hits.map((hit) => (
          <li key={`${hit.organization.id}:${hit.issue.id}`} className="border-t border-line py-2">
            <Link className="link font-[550]" href={pathOf(hit)}>
              <PlainText text={hit.issue.title} charactersMax={200} />
            </Link>
            <div className="text-small text-ink-3">
              <code>{hit.issue.shortId}</code> · {hit.organization.name} · <Time at={hit.atMs} />
            </div>
          </li>
        ))}
      </ul>
    </main>
  )
}

function pathOf(hit: DigestHit): string {
  return `/o/${hit.organization.slug}/issues/${hit.issue.id}/events/${hit.eventId}`
}
