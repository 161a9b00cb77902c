/** `path` with the segment behind `projects` replaced: the same page of a project under its new slug. */
export const movedPath = (path: string, slug: string): string => path.replace(/(\/projects\/)[^/?]+/, `$1${slug}`)
