import { z } from 'zod'
import { MishapError } from '../../base/errors.ts'
import { filterAsync } from '../../base/sequence.ts'
import { restReleaseCompare } from '../../contract/release-compare.ts'
import { versionCharactersMax } from '../../domain/release-order.ts'
import { compareReleases } from '../../query/release-compare.ts'
import type { Route } from '../route.ts'
import { organizationOf, route, viewQuery } from '../route.ts'
import { releaseProjects } from './release-projects.ts'

const version = (description: string) => z.string().min(1, 'A version.').max(versionCharactersMax).describe(description)

const compareQuery = z.object({
  a: version('Version of the release before.'),
  b: version('Version of the release after.'),
  project: viewQuery.project,
  environment: viewQuery.environment,
})

/** The comparison of two releases. It comes before the routes of one release, whose `:version` matches its path too. */
export const compareRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/organizations/:org/releases/compare',
    operationId: 'compareReleases',
    summary:
      'Two releases compared over 90 days: issues that are new, gone, more or less frequent, per session or per event with 99% intervals, and crash-free rates and adoption.',
    action: 'event:read',
    query: compareQuery,
    response: restReleaseCompare,
    handle: async (call) => {
      const { app, actor, found, query } = call
      const organization = organizationOf(found)
      // Tokens can have the scope for events and not the one for releases.
      const projects = await filterAsync(
        await releaseProjects(call, 'event:read', query.project),
        async (project) => (await app.auth.may(actor, 'release:read', { organization, project })) === 'yes',
      )
      const environments = query.environment.filter((environment) => environment !== '')
      const body = await compareReleases(app, { organization, projects, environments, a: query.a, b: query.b })
      if (!body) throw new MishapError('NOT_FOUND')
      return { body }
    },
  }),
]
