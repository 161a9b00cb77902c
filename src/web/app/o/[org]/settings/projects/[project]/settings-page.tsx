import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { readableProjects } from '../../../../../../../auth/allowed-projects.ts'
import { type ProjectSectionId, sectionPath } from '../../../../../../client/settings-pages.ts'
import { app } from '../../../../../../handle.ts'
import type { Panel } from '../../../../../../panels/panel.ts'
import { PanelList } from '../../../../../../panels/panel-list.tsx'
import { demandProject, type ProjectHere } from '../../../../../../server/session.ts'
import { ProjectHead } from './project-head.tsx'

type Search = Record<string, string | string[] | undefined>
type Props = { params: Promise<{ org: string; project: string }>; searchParams: Promise<Search> }

/** The context of every panel of a project's settings. */
export type SettingsContext = {
  here: ProjectHere
  search: Search
  /** Hidden fields of the forms. `project` is the id, which stays valid after a change of the slug. */
  place: { organization: string; project: string }
}

export type SettingsPanel = Panel<SettingsContext, unknown>

/** The title of a settings page's tab. */
export const settingsTitle = (id: ProjectSectionId) => async (): Promise<Metadata> => ({
  title: (await getTranslations('projectSettings'))(`${id}Title`),
})

/**
 * Creates a page of the project's settings: finds the project or answers 404, then renders head and panels. `isWide` is
 * for tables.
 */
export function settingsPage(id: ProjectSectionId, panels: readonly SettingsPanel[], { isWide = false } = {}) {
  return async ({ params, searchParams }: Props) => {
    const { org, project: slug } = await params
    const here = await demandProject(org, slug, sectionPath(id, org, slug))
    const { organization, project } = here
    const rank = (await readableProjects(app(), here.actor, organization)).findIndex(
      ({ id: other }) => other === project.id,
    )
    const place = { organization: organization.slug, project: String(project.id) }
    return (
      <div className="settings-page" data-wide={isWide || undefined}>
        <ProjectHead project={project} place={rank} here={id} />
        <PanelList panels={panels} context={{ here, place, search: await searchParams }} preloaded={{}} />
      </div>
    )
  }
}
