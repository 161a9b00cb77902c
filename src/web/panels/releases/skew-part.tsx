import { getTranslations } from 'next-intl/server'
import { Suspense } from 'react'
import { filterAsync } from '../../../base/sequence.ts'
import { releaseSkew } from '../../../query/issues/skew.ts'
import type { Project } from '../../../store/meta/meta.ts'
import { app } from '../../handle.ts'
import { unlessAway } from '../../server/unless-away.ts'
import { Section } from '../../ui/section.tsx'
import type { ReleaseHere } from './load-release.ts'
import { SkewPanel } from './skew-panel.tsx'

/** Errors of old tabs after the release was deployed. Streams in, so that the rest of the page does not wait. */
export async function SkewPart(props: { here: ReleaseHere; projects: readonly Project[] }) {
  const t = await getTranslations('releases.skew')
  const checking = (await getTranslations('sources'))('checking')
  return (
    <Section title={t('title')}>
      <Suspense fallback={<p className="text-ink-3">{checking}</p>}>
        <Panels {...props} />
      </Suspense>
    </Section>
  )
}

async function Panels({ here, projects }: { here: ReleaseHere; projects: readonly Project[] }) {
  const t = await getTranslations('releases.skew')
  const { actor, organization, release } = here
  const { auth } = app()
  const readable = await filterAsync(
    projects,
    async (project) => (await auth.may(actor, 'event:read', { organization, project })) === 'yes',
  )
  const firstEventMs = release.firstEvent === null ? null : Date.parse(release.firstEvent)
  const releaseRef = { version: release.version, createdMs: Date.parse(release.dateCreated), firstEventMs }
  const panels = await unlessAway(releaseSkew(app(), { organization, projects: readable, release: releaseRef }))
  if (!panels) return <p className="stream-away">{t('away')}</p>
  const hit = panels.filter((panel) => panel.events > 0)
  if (hit.length === 0) return <p className="text-ink-2">{t('none')}</p>
  return hit.map((panel) => <SkewPanel key={panel.environment ?? ''} organization={organization.slug} panel={panel} />)
}
