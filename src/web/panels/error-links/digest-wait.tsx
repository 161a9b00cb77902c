'use client'
import './error-links.css'
import { useQuery } from '@tanstack/react-query'
import { useParams, useRouter } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { useEffect } from 'react'
import { isDigest, pastedDigest } from '../../../domain/pasted-digest.ts'
import { apiFetch } from '../../client/api.ts'
import { Button } from '../../ui/forms/controls.tsx'
import { FindForm } from '../../ui/forms/find-form.tsx'
import { Link } from '../../ui/link.tsx'
import { LiveProvider, useLive } from '../../ui/live.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { useThrottle } from '../../ui/throttle.ts'
import type { SearchedOrganization } from '../search/jump.ts'

/** Maximum projects to name per organization. */
const projectsMax = 20
/** Organizations with a live stream; others are polled. Browsers allow six connections per host without TLS. */
const streamsMax = 4
const pollMs = 15_000
/** Batches commit up to seven times a second. Look up the digest at most this often, ms. */
const pauseMs = 2000

type Found = { issue: { id: string }; events: { id: string }[] }

/** Looks up the digest in one organization whenever a batch commits there. Opens the event once it is found. */
function Watch({ slug, digest, streamed }: { slug: string; digest: string; streamed: boolean }) {
  const t = useTranslations('failures.wait')
  const router = useRouter()
  const query = useQuery({
    queryKey: ['digest', slug, digest],
    queryFn: ({ signal }) =>
      apiFetch<Found[]>(`organizations/${slug}/digests/${encodeURIComponent(digest)}/`, { signal }),
    staleTime: 0,
    // The store may be down. The next poll tries again.
    retry: false,
    refetchInterval: ({ state }) => (!streamed || state.error ? pollMs : false),
  })
  const refetch = useThrottle(pauseMs, () => void query.refetch())
  useLive((change) => {
    if (change.kind === 'events' || change.kind === 'missed') refetch()
  }, streamed)
  const [first, ...more] = query.data ?? []
  const event = first?.events[0]?.id
  const path =
    event === undefined || more.length > 0 ? undefined : `/o/${slug}/issues/${first?.issue.id}/events/${event}`
  const isChoice = more.length > 0
  useEffect(() => {
    if (path !== undefined) router.replace(path)
    // Several issues match: the reloaded document offers the choice.
    else if (isChoice) window.location.reload()
  }, [path, isChoice, router])
  return query.error ? (
    <p className="text-warning" role="status">
      {t('failed')}
    </p>
  ) : null
}

function OrganizationItem({ organization: { slug, name, days, projects } }: { organization: SearchedOrganization }) {
  const t = useTranslations('failures.wait')
  const shown = projects.slice(0, projectsMax)
  return (
    <li>
      <b>
        <PlainText text={name} charactersMax={64} />
      </b>{' '}
      <span className="text-ink-3">({t('days', { days })})</span>{' '}
      {shown.map((project, at) => (
        <span key={project.slug}>
          {at > 0 ? ', ' : ''}
          <Link className="link" href={`/o/${slug}/projects/${project.slug}/setup`}>
            <PlainText text={project.name} charactersMax={64} />
          </Link>
        </span>
      ))}
      {projects.length > shown.length ? ` ${t('more', { count: projects.length - shown.length })}` : null}
    </li>
  )
}

/** A digest without an event so far: searched places and possible reasons. Opens the event once it arrives. */
export function DigestWait({ organizations }: { organizations: readonly SearchedOrganization[] }) {
  const t = useTranslations('failures.wait')
  const issues = useTranslations('issues.digest')
  const requested = decodeURIComponent(useParams<{ digest: string }>().digest ?? '')
  const digest = pastedDigest(requested)?.digest ?? requested.slice(0, 200)
  const searched = isDigest(digest) ? organizations.filter((organization) => organization.projects.length > 0) : []
  return (
    <main className="narrow-page digest-wait">
      <h1>
        {issues('missing')}{' '}
        <code>
          <PlainText text={digest} charactersMax={200} />
        </code>
      </h1>
      {searched.length > 0 ? (
        <p className="digest-waiting" role="status">
          {t('waiting')}
        </p>
      ) : null}
      {searched.map(({ slug, liveId }, at) =>
        at < streamsMax ? (
          <LiveProvider key={slug} organization={slug} since={liveId}>
            <Watch slug={slug} digest={digest} streamed />
          </LiveProvider>
        ) : (
          <Watch key={slug} slug={slug} digest={digest} streamed={false} />
        ),
      )}
      <h2>{t('searched')}</h2>
      <p className="text-ink-2">{t(searched.length > 0 ? 'every' : isDigest(digest) ? 'nowhere' : 'noDigest')}</p>
      <ul className="digest-places">
        {searched.map((organization) => (
          <OrganizationItem key={organization.slug} organization={organization} />
        ))}
      </ul>
      <h2>{t('why')}</h2>
      <ul className="list-disc pl-5 text-ink-2">
        <li>{issues('checkDelay')}</li>
        <li>{issues('checkHook')}</li>
        <li>{t('hook')}</li>
        <li>{issues('checkAccess')}</li>
        <li>{issues('checkSource')}</li>
      </ul>
      <Button className="mt-4" onClick={() => window.location.reload()}>
        {issues('again')}
      </Button>
      <FindForm value={digest} />
    </main>
  )
}
