import { getTranslations } from 'next-intl/server'
import type { ProjectSectionId } from '../../../../../../client/settings-pages.ts'
import { PlainText } from '../../../../../../ui/plain-text.tsx'
import { Rail } from '../../../../../../ui/rail.tsx'

/** The head of a project's settings page: its title, and the project with its rail. */
export async function ProjectHead({
  project,
  place,
  here,
}: {
  project: { name: string }
  /** The place of the project in the organization's list. */
  place: number
  here: ProjectSectionId
}) {
  const t = await getTranslations('projectSettings')
  return (
    <header className="page-head">
      <h1>{t(`${here}Title`)}</h1>
      <span className="inline-flex items-center gap-1.5 text-ink-2">
        <Rail place={place} />
        <PlainText text={project.name} charactersMax={64} />
      </span>
    </header>
  )
}
