/** Replaces the segment after `projects` in `path`: the same page under the project's new slug. */
export const renamedProjectPath = (path: string, slug: string): string =>
  path.replace(/(\/projects\/)[^/?]+/, `$1${slug}`)

/** Replaces the segment after `/o` in `path`: the same page under the organization's new slug. */
export const renamedOrganizationPath = (path: string, slug: string): string =>
  path.replace(/^(\/o\/)[^/?]+/, `$1${slug}`)
