import { z } from 'zod'
import { MishapError } from '../../base/errors.ts'
import {
  type InboundFilter,
  inboundFilters,
  isOldBrowser,
  type OldBrowser,
  type ProjectFilters,
} from '../../domain/filters.ts'
import type { App } from '../../processes/app.ts'
import { droppedOf, filterState } from '../../query/filters.ts'
import type { Project } from '../../store/meta/meta.ts'
import { demandChange, revisionField, revisionOf } from '../input.ts'
import { limitOf, pageQuery, projectOf, type Route, route } from '../route.ts'

const P = '/projects/:org/:project/filters'

const filterShape = z.strictObject({
  id: z.string(),
  active: z
    .union([z.boolean(), z.array(z.string())])
    .describe('Of legacy-browsers the names of those that are filtered, false for none.'),
  patterns: z
    .array(z.string())
    .nullable()
    .describe('Of error-messages, releases, ip-addresses and csp-disallowed-sources; null of the others.'),
  subfilters: z.array(z.string()).nullable().describe('What legacy-browsers can name; null of the others.'),
  dropped: z.number().int().describe('Events that it dropped in the last 7 days.'),
  revision: z.number().int().describe('Of the project, whose settings the filters are.'),
})
const sampleShape = z.strictObject({
  eventID: z.string(),
  title: z.string(),
  why: z.string().describe('What met the filter; empty where that is scrubbed.'),
  dateReceived: z.string(),
  event: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe('The normalized, scrubbed event; null where it was too large.'),
})
const change = z.object({
  active: z.boolean().optional(),
  subfilters: z.array(z.string().max(30)).max(30).optional(),
  patterns: z.array(z.string().max(1000)).max(1000).optional(),
  revision: revisionField,
})

type Given = z.output<typeof change>

function filterOf(id: string | undefined): InboundFilter {
  const known = inboundFilters.find((one) => one.id === id)
  if (!known) throw new MishapError('NOT_FOUND')
  return known
}

/** What a filter is in the shape of the API. */
function toRest(
  app: App,
  project: Project,
  one: InboundFilter,
  dropped: Map<string, number>,
): z.input<typeof filterShape> {
  const { active, patterns, subfilters } = filterState(app.meta.filtersOf(project.id), one)
  const revision = app.meta.projectById(project.id)?.rev ?? project.rev
  return { id: one.id, active, patterns, subfilters, dropped: dropped.get(one.reason) ?? 0, revision }
}

const wrong = (field: string, sentence: string) =>
  new MishapError('VALIDATION', { detail: sentence, fields: { [field]: [sentence] } })

/** The browsers that a change names; `active` alone is all or none. Throws VALIDATION for one that is not known. */
function browsersOf(given: Given, all: readonly string[]): OldBrowser[] {
  const names = given.subfilters ?? (given.active ? all : [])
  const unknown = names.find((one) => !isOldBrowser(one))
  if (unknown !== undefined) throw wrong('subfilters', `One of ${all.join(', ')}.`)
  return given.active === false ? [] : names.filter(isOldBrowser)
}

function changeOf(filters: ProjectFilters, one: InboundFilter, given: Given): Partial<ProjectFilters> {
  if (one.kind === 'switch') {
    if (given.active === undefined) throw wrong('active', 'true or false.')
    return { [one.key]: given.active }
  }
  if (one.kind === 'browsers') return { browsers: browsersOf(given, filterState(filters, one).subfilters ?? []) }
  if (given.active === false) return { [one.key]: [] }
  if (given.patterns === undefined) throw wrong('patterns', 'A list of patterns.')
  return { [one.key]: given.patterns }
}

/** What a project drops of what comes in. */
export const filterRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: P,
    operationId: 'projectFilters',
    summary: 'Inbound filters of a project, and what each dropped in the last week.',
    action: 'project:read',
    response: z.array(filterShape),
    handle: ({ app, found }) => {
      const project = projectOf(found)
      const dropped = droppedOf(app.meta, project.id, app.clock.now())
      return { body: inboundFilters.map((one) => toRest(app, project, one, dropped)) }
    },
  }),
  route({
    method: 'PUT',
    path: `${P}/:filter`,
    operationId: 'updateProjectFilter',
    summary:
      'Switch a filter on or off, or say what it drops. 409 when `revision` or If-Match is not the project’s any more.',
    action: 'project:write',
    body: change,
    response: filterShape,
    handle: ({ app, actor, found, params, body, request }) => {
      const project = projectOf(found)
      const one = filterOf(params.filter)
      demandChange(change, body)
      app.meta.updateProject(
        project.id,
        { filters: changeOf(app.meta.filtersOf(project.id), one, body) },
        { userId: actor.person.id, rev: revisionOf(body, request) },
      )
      return { body: toRest(app, project, one, droppedOf(app.meta, project.id, app.clock.now())) }
    },
  }),
  route({
    method: 'GET',
    path: `${P}/:filter/samples`,
    operationId: 'projectFilterSamples',
    summary: 'A hundredth of what a filter dropped in the last 7 days, newest first; at most 100.',
    action: 'event:read',
    query: z.object(pageQuery),
    response: z.array(sampleShape),
    handle: ({ app, found, params, query }) => ({
      body: app.meta
        .filteredEvents(projectOf(found).id, filterOf(params.filter).reason, limitOf(query, 25))
        .map((one) => ({
          eventID: one.eventId,
          title: one.title,
          why: one.why,
          dateReceived: new Date(one.receivedMs).toISOString(),
          event: one.payload === '' ? null : (JSON.parse(one.payload) as Record<string, unknown>),
        })),
    }),
  }),
]
