import { z } from 'zod'
import type { App } from '../app.ts'
import { MishapError } from '../errors.ts'
import type { Release, ReleaseChange } from '../store/meta/releases.ts'
import { pageHeaders } from './page.ts'
import { namedProjects, releaseProjects } from './release-projects.ts'
import * as shapes from './release-schemas.ts'
import type { Call, Route } from './route.ts'
import { limitOf, organizationOf, pageQuery, route, viewQuery } from './route.ts'

const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString())

/** A release in the shape of the API. */
function toRestRelease(app: App, one: Release): z.input<typeof shapes.release> {
  return {
    // Clients want a number and use it for nothing; the version is what names a release.
    id: one.createdMs,
    version: one.version,
    shortVersion: one.version.replace(/^[^@]+@(?=.)/, ''),
    status: 'open',
    ref: one.ref || null,
    url: one.url || null,
    dateCreated: new Date(one.createdMs).toISOString(),
    dateReleased: iso(one.releasedMs),
    firstEvent: iso(one.firstEventMs),
    lastEvent: iso(one.lastEventMs),
    ...{ newGroups: 0, commitCount: 0, lastCommit: null, deployCount: 0, lastDeploy: null, authors: [] },
    projects: one.projectIds.flatMap((id) => {
      const project = app.meta.projectById(id)
      return project ? [{ id, slug: project.slug, name: project.name, platform: project.platform }] : []
    }),
  }
}

const version = z
  .string()
  .trim()
  .min(1, 'A version.')
  .max(250, 'At most 250 characters.')
  .regex(/^[^\n\r\t\f/\\\p{Cc}]+$/u, 'No slashes, tabs or line ends.')
  .refine((one) => one !== '.' && one !== '..' && one !== 'latest', 'This is no version.')
const date = z
  .string()
  .refine((one) => !Number.isNaN(Date.parse(one)), 'A time, ISO 8601.')
  .transform((one) => Date.parse(one))
  .nullish()
const later = z.array(z.unknown()).max(0, 'Commits are not stored yet.').nullish()
const changes = {
  ref: z.string().max(250, 'At most 250 characters.').nullish(),
  url: z.string().max(2000, 'At most 2,000 characters.').nullish(),
  dateReleased: date,
  commits: later,
  refs: later,
}
const newBody = z.object({
  version,
  projects: z.array(z.union([z.string(), z.number()])).default([]),
  ...changes,
})
const changeBody = z.object(changes)

const changeOf = ({ ref, url, dateReleased }: z.output<typeof changeBody>): ReleaseChange => ({
  ...(dateReleased === undefined ? {} : { releasedMs: dateReleased }),
  ...(url === undefined ? {} : { url: url ?? '' }),
  ...(ref === undefined ? {} : { ref: ref ?? '' }),
})

const listQuery = z.object({
  query: z.string().max(250).optional().describe('A part of the version.'),
  project: viewQuery.project,
  ...pageQuery,
})

function list(call: Call<z.output<typeof listQuery>, undefined>) {
  const { app, query, request } = call
  const limit = limitOf(query, 100)
  const offset = Number(/^0:(\d{1,9}):[01]$/.exec(query.cursor ?? '')?.[1] ?? 0)
  const projectIds = releaseProjects(call, 'release:read', query.project).map((one) => one.id)
  const rows = app.meta.listReleases({ projectIds, text: query.query ?? '', offset, max: limit + 1 })
  const page = {
    rows: rows.slice(0, limit).map((one) => toRestRelease(app, one)),
    previous: { cursor: `0:${Math.max(0, offset - limit)}:1`, results: offset > 0 },
    next: { cursor: `0:${offset + limit}:0`, results: rows.length > limit },
    hits: undefined,
  }
  return { body: page.rows, headers: pageHeaders(app.config.url, request.url, page) }
}

/** The release of the path as the caller may see it. Throws NOT_FOUND. */
function releaseHere(call: Call<unknown, unknown>): { release: Release; projectIds: number[] } {
  const projectIds = releaseProjects(call, 'release:read').map((one) => one.id)
  const release = call.app.meta.releaseOf(projectIds, call.params.version ?? '')
  if (!release) throw new MishapError('NOT_FOUND')
  return { release, projectIds: release.projectIds }
}

function make(call: Call<unknown, z.output<typeof newBody>>) {
  const { app, body, found } = call
  const projects = namedProjects(call, 'release:write', body.projects)
  const { release, isNew } = app.meta.makeRelease(
    {
      organizationId: organizationOf(found).id,
      projectIds: projects.map((one) => one.id),
      version: body.version,
      change: changeOf(body),
    },
    app.clock.now(),
  )
  const answer = toRestRelease(app, release)
  // 208: it was there. Not among the codes that a plain answer has.
  return isNew
    ? { body: answer, status: 201 as const }
    : Response.json(answer, { status: 208, headers: { 'cache-control': 'no-store' } })
}

function change(call: Call<unknown, z.output<typeof changeBody>>) {
  const { app, body, found, params } = call
  const { projectIds } = releaseHere(call)
  const release = app.meta.changeRelease(
    { organizationId: organizationOf(found).id, projectIds, version: params.version ?? '', change: changeOf(body) },
    app.clock.now(),
  )
  return { body: toRestRelease(app, release) }
}

const places = [
  ['/organizations/:org/releases', ''],
  ['/projects/:org/:project/releases', 'Project'],
] as const

/** Releases as builds make them, and as events named them. */
export const releaseRoutes: readonly Route[] = [
  ...places.flatMap(([path, name]) => [
    route({
      method: 'GET',
      path,
      operationId: `list${name}Releases`,
      summary: 'Releases, newest first: made by builds, or named by events.',
      action: 'release:read',
      query: listQuery,
      response: z.array(shapes.release),
      handle: list,
    }),
    route({
      method: 'POST',
      path,
      operationId: `create${name}Release`,
      summary: 'Makes a release; 208 when it was there.',
      action: 'release:write',
      body: newBody,
      status: 201,
      response: shapes.release,
      handle: make,
    }),
    route({
      method: 'GET',
      path: `${path}/:version`,
      operationId: `get${name}Release`,
      summary: 'One release.',
      action: 'release:read',
      response: shapes.release,
      handle: (call) => ({ body: toRestRelease(call.app, releaseHere(call).release) }),
    }),
    route({
      method: 'PUT',
      path: `${path}/:version`,
      operationId: `update${name}Release`,
      summary: 'Changes a release; dateReleased finalizes it.',
      action: 'release:write',
      body: changeBody,
      response: shapes.release,
      handle: change,
    }),
    route({
      method: 'DELETE',
      path: `${path}/:version`,
      operationId: `delete${name}Release`,
      summary: 'Takes out what builds said of a release and the files it has for itself; its events go on naming it.',
      action: 'release:write',
      status: 204,
      response: z.undefined(),
      handle: async (call) => {
        const { app, params } = call
        const { projectIds } = releaseHere(call)
        const release = params.version ?? ''
        await app.artifacts.removeFiles(projectIds, release)
        app.meta.removeRelease(projectIds, release)
        return { body: undefined, status: 204 }
      },
    }),
  ]),
  route({
    method: 'GET',
    path: '/organizations/:org/repos',
    operationId: 'listRepositories',
    summary: 'Repositories: none are connected yet.',
    action: 'release:read',
    response: z.array(z.never()),
    handle: () => ({ body: [] }),
  }),
]
