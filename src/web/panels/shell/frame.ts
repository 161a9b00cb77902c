import type { RestSearch } from '../../../contract/search.ts'
import type { SettingsRights } from '../../client/settings-pages.ts'
import type { ProjectName } from '../search/list-params.ts'

/** What the frame of an organization shows, as loaded with the document. */
export type Frame = {
  organization: { slug: string; name: string }
  /** The organizations of the person. */
  organizations: { slug: string; name: string }[]
  person: { id: string; name: string; email: string }
  /** Projects whose issues the person may read, by slug. The index is the place of the rail's colour. */
  projects: ProjectName[]
  views: RestSearch[]
  /** Slugs of the projects that the person selected last. */
  selected: string[]
  rights: SettingsRights & { createProject: boolean; createAlert: boolean }
  /** Number of notification channels that fail. */
  failingChannels: number
  /** Number of trackers that refuse their token. */
  refusedTrackers: number
  /** Id of the newest change when the document was rendered. The live stream continues after it. */
  liveId: number
}

/** The query string of a list with these projects, with `?`. '' without projects. */
export const projectSearch = (slugs: readonly string[]): string => (slugs.length ? `?project=${slugs.join(',')}` : '')
