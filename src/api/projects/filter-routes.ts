import { z } from 'zod'
import { MishapError } from '../../base/errors.ts'
import {
  type FilterChangeBody,
  filterChangeBody,
  type RestFilter,
  restFilter,
  restFilterSample,
} from '../../contract/filters.ts'
import {
  type InboundFilter,
  inboundFilters,
  isOldBrowser,
  type OldBrowser,
  type ProjectFilters,
} from '../../domain/filters.ts'
import { updateFilters } from '../../operations/project-settings.ts'
import type { App } from '../../processes/parts.ts'
import { droppedOf, filterState } from '../../query/filters.ts'
import type { Project } from '../../store/meta/meta.ts'
import { demandChange, revisionOf } from '../input.ts'
import { limitOf, pageQuery, projectOf, type Route, route } from '../route.ts'

const P = '/projects/:org/:project/filters'

function filterOf(id: string | undefined): InboundFilter {
  const match = inboundFilters.find((inboundFilter) => inboundFilter.id === id)
  if (!match) throw new MishapError('NOT_FOUND')
  return match
}

/** Returns the API form of a filter. */
async function toRest(
  app: App,
  project: Project,
  inboundFilter: InboundFilter,
  dropped: Map<string, number>,
): Promise<RestFilter> {
  const { active, patterns, subfilters } = filterState(await app.meta.projects.filtersOf(project.id), inboundFilter)
  const revision = (await app.meta.projects.projectById(project.id))?.rev ?? project.rev
  return {
    id: inboundFilter.id,
    active,
    patterns,
    subfilters,
    dropped: dropped.get(inboundFilter.reason) ?? 0,
    revision,
  }
}

const wrong = (field: string, sentence: string) =>
  new MishapError('VALIDATION', { detail: sentence, fields: { [field]: [sentence] } })

/** Returns the browsers of a change. `active` alone means all or none. Throws VALIDATION for unknown ones. */
function browsersOf(body: FilterChangeBody, all: readonly string[]): OldBrowser[] {
  const names = body.subfilters ?? (body.active ? all : [])
  const unknownName = names.find((name) => !isOldBrowser(name))
  if (unknownName !== undefined) throw wrong('subfilters', `One of ${all.join(', ')}.`)
  return body.active === false ? [] : names.filter(isOldBrowser)
}

function changeOf(
  filters: ProjectFilters,
  inboundFilter: InboundFilter,
  body: FilterChangeBody,
): Partial<ProjectFilters> {
  if (inboundFilter.kind === 'switch') {
    if (body.active === undefined) throw wrong('active', 'true or false.')
    return { [inboundFilter.key]: body.active }
  }
  if (inboundFilter.kind === 'browsers')
    return { browsers: browsersOf(body, filterState(filters, inboundFilter).subfilters ?? []) }
  if (body.active === false) return { [inboundFilter.key]: [] }
  if (body.patterns === undefined) throw wrong('patterns', 'A list of patterns.')
  return { [inboundFilter.key]: body.patterns }
}

/** Inbound filters of a project. */
export const filterRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: P,
    operationId: 'projectFilters',
    summary: 'Inbound filters of a project, with the number of events that each dropped in the last week.',
    action: 'project:read',
    response: z.array(restFilter),
    handle: async ({ app, found }) => {
      const project = projectOf(found)
      const dropped = await droppedOf(app.meta, project.id, app.clock.now())
      return {
        body: await Array.fromAsync(inboundFilters, async (inboundFilter) =>
          toRest(app, project, inboundFilter, dropped),
        ),
      }
    },
  }),
  route({
    method: 'PUT',
    path: `${P}/:filter`,
    operationId: 'updateProjectFilter',
    summary: 'Turns a filter on or off, or sets its patterns. 409 if `revision` or If-Match is outdated.',
    action: 'project:write',
    body: filterChangeBody,
    response: restFilter,
    handle: async ({ app, actor, found, params, body, request }) => {
      const project = projectOf(found)
      const inboundFilter = filterOf(params.filter)
      demandChange(filterChangeBody, body)
      const filters = changeOf(await app.meta.projects.filtersOf(project.id), inboundFilter, body)
      await updateFilters(app, actor, project.id, filters, revisionOf(body, request))
      return { body: await toRest(app, project, inboundFilter, await droppedOf(app.meta, project.id, app.clock.now())) }
    },
  }),
  route({
    method: 'GET',
    path: `${P}/:filter/samples`,
    operationId: 'projectFilterSamples',
    summary: 'One in a hundred events that a filter dropped in the last 7 days, newest first, at most 100.',
    action: 'event:read',
    query: z.object(pageQuery),
    response: z.array(restFilterSample),
    handle: async ({ app, found, params, query }) => ({
      body: (
        await app.meta.projects.filteredEvents(projectOf(found).id, filterOf(params.filter).reason, limitOf(query, 25))
      ).map((filteredEvent) => ({
        eventID: filteredEvent.eventId,
        title: filteredEvent.title,
        why: filteredEvent.why,
        dateReceived: new Date(filteredEvent.receivedMs).toISOString(),
        event: filteredEvent.payload === '' ? null : (JSON.parse(filteredEvent.payload) as Record<string, unknown>),
      })),
    }),
  }),
]
