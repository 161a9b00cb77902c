import type { Metadata } from 'next'
import Link from 'next/link'
import { getTranslations } from 'next-intl/server'
import { app } from '../../../../../../../handle.ts'
import { dsnOf } from '../../../../../../../platforms.ts'
import { demandProject } from '../../../../../../../session.ts'
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
  const place = { organization: organization.slug, project: project.slug }
  return (
    <div className="page max-w-[860px]">
      <header className="page-head">
        <h1>{t('title')}</h1>
        <span className="text-ink-3">{project.name}</span>
        <Link href={`/o/${organization.slug}/projects/${project.slug}/setup`} className="link ml-auto">
          {t('setup')}
        </Link>
      </header>
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
              dsn: dsnOf(config.url, key.publicKey, project.id),
              active: key.active,
              rateLimit: key.rateLimit,
              lastUsedMs: key.lastUsedMs,
              createdMs: key.createdMs,
            }}
          />
        ))}
      </ul>
      {mayWrite ? <NewKeyForm place={place} /> : null}
    </div>
  )
}
