import { getTranslations } from 'next-intl/server'
import { Link } from '../../../../../../ui/link.tsx'
import { PlainText } from '../../../../../../ui/plain-text.tsx'

const pages = [
  'general',
  'keys',
  'environments',
  'grouping',
  'ownership',
  'filters',
  'tombstones',
  'sources',
  'setup',
  'ingest',
] as const

/** The head of a project's settings: its name and the ways between their pages. */
export async function ProjectHead({
  base,
  project,
  here,
}: {
  /** `/o/[org]` */
  base: string
  project: { slug: string; name: string }
  here: (typeof pages)[number]
}) {
  const t = await getTranslations('projectSettings')
  const hrefs = {
    general: `${base}/settings/projects/${project.slug}`,
    keys: `${base}/settings/projects/${project.slug}/keys`,
    environments: `${base}/settings/projects/${project.slug}/environments`,
    grouping: `${base}/settings/projects/${project.slug}/grouping`,
    filters: `${base}/settings/projects/${project.slug}/filters`,
    sources: `${base}/settings/projects/${project.slug}/source-maps`,
    ownership: `${base}/settings/projects/${project.slug}/ownership`,
    tombstones: `${base}/settings/projects/${project.slug}/tombstones`,
    setup: `${base}/projects/${project.slug}/setup`,
    ingest: `${base}/projects/${project.slug}/ingest`,
  }
  return (
    <header className="page-head">
      <h1>{t(`${here}Title`)}</h1>
      <span className="text-ink-3">
        <PlainText text={project.name} charactersMax={64} />
      </span>
      <nav aria-label={t('pages')} className="ml-auto flex flex-wrap gap-x-4 gap-y-1">
        {pages.map((page) => (
          <Link
            key={page}
            href={hrefs[page]}
            {...(page === here ? { 'aria-current': 'page' as const, className: 'font-[550]' } : { className: 'link' })}
          >
            {t(page)}
          </Link>
        ))}
      </nav>
    </header>
  )
}
