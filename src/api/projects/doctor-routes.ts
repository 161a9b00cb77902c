import { z } from 'zod'
import { allowedProjects } from '../../auth/allowed-projects.ts'
import { MishapError } from '../../base/errors.ts'
import { restBundleDiagnosis, restEventDiagnosis, restReleaseDiagnosis } from '../../contract/doctor.ts'
import type { EventDiagnosis } from '../../domain/doctor.ts'
import { eventById } from '../../query/events.ts'
import { normalOf } from '../../query/issues/event.ts'
import type { Call, Route } from '../route.ts'
import { organizationOf, projectOf, route } from '../route.ts'

/** Returns the project of the path, and other projects whose uploads the caller can see. */
async function doctorProject({ app, actor, found }: Pick<Call<unknown, unknown>, 'app' | 'actor' | 'found'>) {
  const [organization, project] = [organizationOf(found), projectOf(found)]
  const allowed = await allowedProjects(app, actor, organization, 'release:read')
  const others = allowed.filter((candidate) => candidate.id !== project.id)
  return { organization, project, others }
}

const errorsOf = ({ files }: EventDiagnosis) =>
  files.flatMap(({ finding }) =>
    finding ? [{ type: finding.code, message: finding.message, data: finding.data }] : [],
  )

const dist = z.string().max(64).optional().describe('Only this dist. Empty: events and files without a dist.')

/** Diagnoses unmapped frames of an event, a bundle or a release. */
export const doctorRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/projects/:org/:project/events/:event/source-map-debug',
    operationId: 'eventSourceMapDebug',
    summary: 'Why frames of an event are not mapped: the result of each step, and the fix for the first failing step.',
    action: 'event:read',
    response: restEventDiagnosis,
    handle: async (call) => {
      const { app, found, params } = call
      const event = await eventById(app, [projectOf(found).id], params.event ?? '')
      if (!event) throw new MishapError('NOT_FOUND')
      const diagnosis = await app.doctor.ofEvent(await doctorProject(call), normalOf(event.row), event.row.receivedMs)
      return { body: { errors: errorsOf(diagnosis), ...diagnosis } }
    },
  }),
  route({
    method: 'GET',
    path: '/projects/:org/:project/files/artifact-bundles/:bundle/source-map-debug',
    operationId: 'bundleSourceMapDebug',
    summary: 'Whether events can find the scripts of a bundle, and whether their maps are usable. Reads up to 40 maps.',
    action: 'release:read',
    response: restBundleDiagnosis,
    handle: async (call) => {
      const { app, found, params } = call
      const bundle = await app.meta.artifacts.bundleOf(projectOf(found).id, params.bundle ?? '')
      if (!bundle) throw new MishapError('NOT_FOUND')
      return { body: await app.doctor.ofBundle(await doctorProject(call), bundle) }
    },
  }),
  route({
    method: 'GET',
    path: '/projects/:org/:project/releases/:version/source-map-debug',
    operationId: 'releaseSourceMapDebug',
    summary: 'Findings of the doctor for a release: its uploads, and its newest 100 events of 30 days.',
    action: 'release:read',
    query: z.object({ dist }),
    response: restReleaseDiagnosis,
    handle: async (call) => {
      const { app, actor, params, query } = call
      const access = await doctorProject(call)
      const mayReadEvents = (await app.auth.may(actor, 'event:read', access)) === 'yes'
      const options = { release: params.version ?? '', dist: query.dist, mayReadEvents }
      return { body: await app.doctor.ofRelease(access, options) }
    },
  }),
]
