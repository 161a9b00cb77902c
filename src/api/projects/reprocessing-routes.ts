import { allowedProjects } from '../../auth/allowed-projects.ts'
import { type RestRegroupings, restRegroupings } from '../../contract/reprocessing.ts'
import type { ReprocessingRun } from '../../store/meta/retention/reprocessing.ts'
import type { Route } from '../route.ts'
import { organizationOf, route } from '../route.ts'

/** Maximum runs in the list. */
const listMax = 20

type Project = RestRegroupings['runs'][number]['project']

/** Returns the API form of a run. */
const toRest = (regrouping: ReprocessingRun, project: Project): RestRegroupings['runs'][number] => ({
  id: String(regrouping.id),
  project,
  cause: regrouping.cause,
  dateCreated: new Date(regrouping.createdMs).toISOString(),
  dateEnded: regrouping.endedMs === null ? null : new Date(regrouping.endedMs).toISOString(),
  // A restarted run can count an event twice.
  total: regrouping.total,
  looked: Math.min(regrouping.looked, regrouping.total),
  mapped: regrouping.mapped,
  moved: regrouping.moved,
  issues: regrouping.issues,
  error: regrouping.error,
})

/** Reprocessing of events whose source maps arrived after them. */
export const reprocessingRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/organizations/:org/regroupings',
    operationId: 'listRegroupings',
    summary: 'Reprocessing of events whose source maps arrived after them: runs with their progress, newest first.',
    action: 'organization:read',
    response: restRegroupings,
    handle: async ({ app, actor, found }) => {
      const projects = await allowedProjects(app, actor, organizationOf(found), 'project:read')
      const byId = new Map(projects.map(({ id, slug }): [number, Project] => [id, { id: String(id), slug }]))
      const runs = (await app.meta.retention.reprocessingRuns(listMax, [...byId.keys()])).flatMap((regrouping) => {
        const project = byId.get(regrouping.projectId)
        return project ? [toRest(regrouping, project)] : []
      })
      const full = (
        await Array.fromAsync([...byId], async ([id, project]) => {
          const { quantity: missing, refused, refusedMs } = await app.meta.artifacts.missingMapCounts(id)
          return refusedMs === null
            ? []
            : [{ project, noted: missing, refused, dateRefused: new Date(refusedMs).toISOString() }]
        })
      ).flat()
      return { body: { runs, full } }
    },
  }),
]
