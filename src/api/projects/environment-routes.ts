import { z } from 'zod'
import { MishapError } from '../../base/errors.ts'
import { environmentChangeBody, type RestEnvironment, restEnvironment } from '../../contract/organizations.ts'
import { hideEnvironment } from '../../operations/project-settings.ts'
import type { Environment } from '../../store/meta/ingest/environments.ts'
import type { Route } from '../route.ts'
import { projectOf, route, scopeOf, viewOf, viewQuery } from '../route.ts'

/** Maximum names in a list. */
const listMax = 1000
/** Maximum names to query from the events, including hidden ones. */
const queriedMax = 10_000

const visibility = z
  .enum(['visible', 'hidden', 'all'])
  .optional()
  .describe(
    'visible (the default): those in use that are not hidden. hidden, all: of any age. At most 1,000, hidden ones first.',
  )

const toRest = ({ name, hidden }: Environment): RestEnvironment => ({ id: name, name, isHidden: hidden })

const path = '/projects/:org/:project/environments'

/** Environments in use, and those that users hid from selection lists. */
export const environmentRoutes: readonly Route[] = [
  ...(['/organizations/:org/environments', path] as const).map((environmentsPath, i) =>
    route({
      method: 'GET',
      path: environmentsPath,
      operationId: i === 0 ? 'listEnvironments' : 'projectEnvironments',
      summary: 'Environments in use, except those that all their projects hide.',
      action: 'event:read',
      query: z.object({ ...viewQuery, visibility }),
      response: z.array(restEnvironment),
      handle: async (call) => {
        const { app, query } = call
        const scope = scopeOf(await viewOf(call, '90d'))
        const hidden = await app.meta.projects.hiddenEnvironments(scope.projectIds)
        if (query.visibility === 'hidden' || query.visibility === 'all') {
          const names = new Set([...hidden].sort().slice(0, listMax))
          if (query.visibility === 'all') {
            for (const id of scope.projectIds)
              for (const { name } of await app.meta.projects.projectEnvironments(id, { max: listMax }))
                if (names.size < listMax) names.add(name)
          }
          return { body: [...names].sort().map((name) => ({ id: name, name, isHidden: hidden.has(name) })) }
        }
        // Query extra names, because hidden ones are removed below and must not displace the others.
        const queried = Math.min(listMax + hidden.size, queriedMax)
        const values = await app.events.tagValues(scope, 'environment', queried)
        return {
          body: values
            .filter(({ value }) => value !== '' && !hidden.has(value))
            .slice(0, listMax)
            .map(({ value }) => ({ id: value, name: value, isHidden: false })),
        }
      },
    }),
  ),
  route({
    method: 'GET',
    path: `${path}/:environment`,
    operationId: 'projectEnvironment',
    summary: 'One environment of a project.',
    action: 'project:read',
    response: restEnvironment,
    handle: async ({ app, found, params }) => {
      const environment = await app.meta.projects.environmentOf(projectOf(found).id, params.environment ?? '')
      if (!environment) throw new MishapError('NOT_FOUND')
      return { body: toRest(environment) }
    },
  }),
  route({
    method: 'PUT',
    path: `${path}/:environment`,
    operationId: 'updateProjectEnvironment',
    summary: 'Hides an environment from the menus, or shows it again. Its events are still counted and found.',
    action: 'project:write',
    body: environmentChangeBody,
    response: restEnvironment,
    handle: async ({ app, found, params, body }) => ({
      body: toRest(await hideEnvironment(app, projectOf(found).id, params.environment ?? '', body.isHidden)),
    }),
  }),
]
