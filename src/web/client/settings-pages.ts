/**
 * The pages of a project's settings in the order of the menu, with their paths below `/o/[org]`. Their texts are
 * `projectSettings.<id>` for the link and `projectSettings.<id>Title` for the heading and the tab.
 */
export const projectSections = [
  { id: 'general', path: (slug: string) => `/settings/projects/${slug}` },
  { id: 'keys', path: (slug: string) => `/settings/projects/${slug}/keys` },
  { id: 'environments', path: (slug: string) => `/settings/projects/${slug}/environments` },
  { id: 'sources', path: (slug: string) => `/settings/projects/${slug}/source-maps` },
  { id: 'filters', path: (slug: string) => `/settings/projects/${slug}/filters` },
  { id: 'detectors', path: (slug: string) => `/settings/projects/${slug}/detectors` },
  { id: 'grouping', path: (slug: string) => `/settings/projects/${slug}/grouping` },
  { id: 'ownership', path: (slug: string) => `/settings/projects/${slug}/ownership` },
  { id: 'tombstones', path: (slug: string) => `/settings/projects/${slug}/tombstones` },
  { id: 'ingest', path: (slug: string) => `/settings/projects/${slug}/rejected-data` },
  { id: 'setup', path: (slug: string) => `/projects/${slug}/setup` },
] as const

export type ProjectSectionId = (typeof projectSections)[number]['id']

/** The path of a settings page of project `slug` in organization `org`. */
export function sectionPath(id: ProjectSectionId, org: string, slug: string): string {
  const section = projectSections.find((candidate) => candidate.id === id) ?? projectSections[0]
  return `/o/${org}${section.path(slug)}`
}

/** The pages of the account. Their texts are `frame.settings.<id>`. */
export const accountPages = [
  { id: 'profile', path: '/settings/account' },
  { id: 'appearance', path: '/settings/account/appearance' },
  { id: 'security', path: '/settings/account/security' },
  { id: 'personal', path: '/settings/account/notifications' },
  { id: 'tokens', path: '/settings/account/tokens' },
] as const

/** The pages of the organization. Their texts are `frame.settings.<id>`. `needs`: who sees the page. */
export const organizationPages = [
  { id: 'organization', path: '/settings/organization' },
  { id: 'members', path: '/settings/members' },
  { id: 'notifications', path: '/settings/notifications' },
  { id: 'integrations', path: '/settings/integrations' },
  { id: 'organizationTokens', path: '/settings/tokens', needs: 'tokens' },
  { id: 'status', path: '/settings/status', needs: 'status' },
] as const

/** What the person may see in the settings of the organization. */
export type SettingsRights = { tokens: boolean; status: boolean }

/** The pages of the organization that the person may open. */
export const allowedPages = (rights: SettingsRights) =>
  organizationPages.filter((page) => !('needs' in page) || rights[page.needs])
