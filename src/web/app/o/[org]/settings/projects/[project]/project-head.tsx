import { getTranslations } from 'next-intl/server'
import { Link } from '../../../../../../ui/link.tsx'
import { PlainText } from '../../../../../../ui/plain-text.tsx'
import { type ProjectSectionId, projectSections, sectionPath } from './sections.ts'

/** The head of a project's settings pages: page title, project name, links to the other pages. */
export async function ProjectHead({
  organization,
  project,
  here,
}: {
  /** Slug. */
  organization: string
  project: { slug: string; name: string }
  here: ProjectSectionId
}) {
  const t = await getTranslations('projectSettings')
  return (
    <header className="page-head">
      <h1>{t(`${here}Title`)}</h1>
      <span className="text-ink-3">
        <PlainText text={project.name} charactersMax={64} />
      </span>
      <nav aria-label={t('pages')} className="ml-auto flex flex-wrap gap-x-4 gap-y-1">
        {projectSections.map(({ id }) => (
          <Link
            key={id}
            href={sectionPath(id, organization, project.slug)}
            {...(id === here ? { 'aria-current': 'page' as const, className: 'font-[550]' } : { className: 'link' })}
          >
            {t(id)}
          </Link>
        ))}
      </nav>
    </header>
  )
}
