import { MishapError } from '../../base/errors.ts'
import type { RouteKey } from '../../store/events/performance-store.ts'
import type { Project } from '../../store/meta/meta.ts'

/**
 * The id of a route in addresses: base64url of its project, op and name. Names have slashes and brackets, which proxies
 * decode and merge in a path. It begins with a digit's code, so it is never the name of another page.
 */
export const routeIdOf = ({ projectId, op, route }: RouteKey): string =>
  Buffer.from(`${projectId} ${op} ${route}`).toString('base64url')

/** Reads the id of a route. Undefined for any other text. */
export function routeOfId(id: string): RouteKey | undefined {
  if (!/^[\w-]{4,2000}$/.test(id)) return undefined
  const found = /^(\d{1,15}) (\S{0,128}) ([\s\S]{0,1000})$/.exec(Buffer.from(id, 'base64url').toString())
  return found ? { projectId: Number(found[1]), op: found[2] ?? '', route: found[3] ?? '' } : undefined
}

/** The id of a statement: its project and its hash. */
export const statementIdOf = ({ projectId, hash }: { projectId: number; hash: string }): string =>
  `${projectId}-${hash}`

/** Reads the id of a statement. Undefined for any other text. */
export function statementOfId(id: string): { projectId: number; hash: string } | undefined {
  const found = /^(\d{1,15})-([0-9a-f]{16})$/.exec(id)
  return found ? { projectId: Number(found[1]), hash: found[2] ?? '' } : undefined
}

/** The project of an id among those of a view. Throws NOT_FOUND for any other, as for a wrong id. */
export function projectOfView(projects: readonly Project[], projectId: number | undefined): Project {
  const project = projects.find(({ id }) => id === projectId)
  if (!project) throw new MishapError('NOT_FOUND')
  return project
}
