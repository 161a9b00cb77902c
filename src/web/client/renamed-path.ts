/** `path` with the segment behind `projects` replaced: the same page of a project under its new slug. */
export const movedPath = (path: string, slug: string): string => path.replace(/(\/projects\/)[^/?]+/, `$1${slug}`)

/** `path` with the segment behind `/o` replaced: the same page of an organization under its new slug. */
export const movedOrganizationPath = (path: string, slug: string): string => path.replace(/^(\/o\/)[^/?]+/, `$1${slug}`)
