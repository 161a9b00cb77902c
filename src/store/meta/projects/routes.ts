import { MishapError } from '../../../base/errors.ts'
import { brokenPattern, patternsMax, type RouteSettings, readRoutes } from '../../../domain/traces/routes.ts'
import type { UploadedRoutes } from '../../../domain/traces/uploaded-routes.ts'
import type { Store } from '../database/store.ts'

/** How addresses of a project become routes. */
export type RouteStore = {
  /** Patterns of people and learned names. Throws NOT_FOUND. */
  routeSettings(projectId: number): Promise<RouteSettings>
  /** Replaces the learned names. The revision stays: a form that is open meanwhile can still be saved. */
  setLearnedRoutes(projectId: number, learned: string[]): Promise<void>
  /** Replaces the routes that were uploaded with releases. The revision stays. */
  setUploadedRoutes(projectId: number, uploaded: readonly UploadedRoutes[]): Promise<void>
}

/** The column of a project with changed patterns. Throws VALIDATION with the field `routePatterns`. */
export function routesColumn(old: string, patterns: string[] | undefined): string {
  if (patterns === undefined) return old
  const broken = brokenPattern(patterns)
  const tooMany = patterns.length > patternsMax ? `A project has at most ${patternsMax} patterns of routes.` : undefined
  const detail =
    tooMany ??
    (broken === undefined
      ? undefined
      : `"${broken.slice(0, 100)}" is no pattern. A pattern begins with a slash and has no space, "?" or "#".`)
  if (detail !== undefined) throw new MishapError('VALIDATION', { detail, fields: { routePatterns: [detail] } })
  return JSON.stringify({ ...readRoutes(old), patterns })
}

/** Implements the route settings of projects. */
export function routePart({ read, write, dialect: { builder } }: Store): RouteStore {
  const routesOf = (id: number) => builder.selectFrom('project').select('routes').where('id', '=', id)
  const change = (projectId: number, changes: Partial<RouteSettings>) =>
    write.transaction(async () => {
      const row = await write.get(routesOf(projectId))
      if (!row) return
      const routes = JSON.stringify({ ...readRoutes(row.routes), ...changes })
      await write.run(builder.updateTable('project').set({ routes }).where('id', '=', projectId))
    })
  return {
    routeSettings: async (projectId) => {
      const row = await read.get(routesOf(projectId))
      if (!row) throw new MishapError('NOT_FOUND')
      return readRoutes(row.routes)
    },
    setLearnedRoutes: (projectId, learned) => change(projectId, { learned }),
    setUploadedRoutes: (projectId, uploaded) => change(projectId, { uploaded }),
  }
}
