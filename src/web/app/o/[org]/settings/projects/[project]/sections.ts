/**
 * The pages of a project's settings in navigation order, with their paths below `/o/[org]`. Their texts are
 * `projectSettings.<id>` for the link and `projectSettings.<id>Title` for the heading and the tab. Each page is a
 * page.tsx at its path, built by `settingsPage`.
 */
export const projectSections = [
  { id: 'general', path: (slug: string) => `/settings/projects/${slug}` },
  { id: 'keys', path: (slug: string) => `/settings/projects/${slug}/keys` },
  { id: 'environments', path: (slug: string) => `/settings/projects/${slug}/environments` },
  { id: 'grouping', path: (slug: string) => `/settings/projects/${slug}/grouping` },
  { id: 'ownership', path: (slug: string) => `/settings/projects/${slug}/ownership` },
  { id: 'filters', path: (slug: string) => `/settings/projects/${slug}/filters` },
  { id: 'tombstones', path: (slug: string) => `/settings/projects/${slug}/tombstones` },
  { id: 'sources', path: (slug: string) => `/settings/projects/${slug}/source-maps` },
  { id: 'setup', path: (slug: string) => `/projects/${slug}/setup` },
  { id: 'ingest', path: (slug: string) => `/projects/${slug}/ingest` },
] as const

export type ProjectSectionId = (typeof projectSections)[number]['id']

/** The path of a settings page of project `slug` in organization `org`. */
export function sectionPath(id: ProjectSectionId, org: string, slug: string): string {
  const section = projectSections.find((candidate) => candidate.id === id) ?? projectSections[0]
  return `/o/${org}${section.path(slug)}`
}
