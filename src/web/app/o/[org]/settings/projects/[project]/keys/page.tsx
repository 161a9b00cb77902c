import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { dsnOf } from '../../../../../../../../wire/dsn.ts'
import { app } from '../../../../../../../handle.ts'
import { demandProject } from '../../../../../../../server/session.ts'
import { Link } from '../../../../../../../ui/link.tsx'
import { ProjectHead } from '../project-head.tsx'
import { NewKeyForm } from './new-key-form.tsx'
import { ProjectKeyRow } from './project-key-row.tsx'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('keys'))('title') }
}

/** The keys of a project: make, disable, limit. Who may only read sees them with their controls disabled. */
export default async function KeysPage({ params }: { params: Promise<{ org: string; project: string }> }) {
  const { org, project: slug } = await params
  const { actor, organization, project } = await demandProject(org, slug, `/o/${org}/settings/projects/${slug}/keys`)
  const t = await getTranslations('keys')
  const { auth, meta, config } = app()
  const mayWrite = auth.may(actor, 'key:write', { organization, project }) === 'yes'
  // The id: a form that was loaded before the project got another slug still finds it.
  const place = { organization: organization.slug, project: String(project.id) }
  return (
    <div className="page max-w-[860px]">
      <ProjectHead base={`/o/${organization.slug}`} project={project} here="keys" />
      <p className="mb-4 max-w-[72ch] text-ink-2">{mayWrite ? t('intro') : t('readOnly')}</p>
      <ul className="border-t border-line">
        {meta.keysOf(project.id).map((key) => (
          <ProjectKeyRow
            key={key.id}
            place={place}
            mayWrite={mayWrite}
            projectKey={{
              id: key.id,
              label: key.label,
              dsn: dsnOf(config.url, key),
              active: key.active,
              rateLimit: key.rateLimit,
              revision: key.rev,
              lastUsedMs: key.lastUsedMs,
              createdMs: key.createdMs,
            }}
          />
        ))}
      </ul>
      {mayWrite ? <NewKeyForm place={place} /> : null}
      <p className="mt-8 max-w-[72ch] text-ink-2">
        {t('debug')}{' '}
        <Link className="link" href={`/o/${organization.slug}/projects/${project.slug}/ingest`}>
          {t('debugLink')}
        </Link>
      </p>
    </div>
  )
}
