import { MishapError } from '../../base/errors.ts'
import {
  ownershipChangeBody,
  ownershipTestBody,
  type RestOwnership,
  type RestOwnershipTest,
  restOwnership,
  restOwnershipTest,
} from '../../contract/ownership.ts'
import { ownerRuleOf, readOwnership } from '../../domain/ownership.ts'
import { ownershipErrors, updateOwnership } from '../../operations/project-settings.ts'
import type { App } from '../../processes/parts.ts'
import { eventRowOf } from '../../query/events.ts'
import { ownedEventOf } from '../../query/issues/owned.ts'
import type { Project } from '../../store/meta/meta.ts'
import { revisionOf } from '../input.ts'
import { projectOf, type Route, route } from '../route.ts'

const P = '/projects/:org/:project'
/** Number of latest issues for a test of rules. */
const triedMax = 20

/** Returns the API form of the rules of a project. */
async function toRestOwnership(app: App, project: Project): Promise<RestOwnership> {
  const { text, autoAssign, rev, changedMs } = await app.meta.projects.ownershipOf(project.id)
  return {
    raw: text,
    autoAssignment: autoAssign,
    revision: rev,
    lastUpdated: changedMs === null ? null : new Date(changedMs).toISOString(),
    rules: readOwnership(text).rules.map(({ line, text: rule, owners }) => ({ line, text: rule, owners })),
    faults: await ownershipErrors(app, project, text),
  }
}

const tooLong = (shortId: string) =>
  `This rule and the rules above it were not tried on ${shortId}: together, the rules take too long for its event. Use fewer * in patterns.`

/** Tests rules on the latest issues of a project without saving. Throws STORE_UNAVAILABLE. */
async function tryOwnership(app: App, project: Project, text: string): Promise<RestOwnershipTest> {
  const { rules } = readOwnership(text)
  const issues = await app.meta.issues.listIssues({ projectIds: [project.id], sort: 'last', max: triedMax })
  const rows = await Promise.all(
    issues.map((issue) =>
      eventRowOf(app, issue, 'latest').catch((error: unknown) => {
        // The issue has no remaining event.
        if (error instanceof MishapError && error.code === 'NOT_FOUND') return undefined
        throw error
      }),
    ),
  )
  const faults = await ownershipErrors(app, project, text)
  const tried: RestOwnershipTest['issues'] = []
  for (const [at, { id, shortId, title }] of issues.entries()) {
    const row = rows[at]
    // Rules can take some milliseconds per issue: let other work run.
    await app.clock.sleep(0)
    const { rule, overAt: line } = row ? ownerRuleOf(rules, ownedEventOf(row)) : {}
    if (line !== undefined) faults.push({ line, sentence: tooLong(shortId) })
    tried.push({
      id: String(id),
      shortId,
      title,
      line: rule?.line ?? null,
      rule: rule?.text ?? null,
      owner: rule?.owners[0] ?? null,
    })
  }
  return { faults, issues: tried }
}

/** Rules of issue ownership. */
export const ownershipRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${P}/ownership`,
    operationId: 'ownership',
    summary: 'Ownership rules of a project.',
    action: 'project:read',
    response: restOwnership,
    handle: async ({ app, found }) => ({ body: await toRestOwnership(app, projectOf(found)) }),
  }),
  route({
    method: 'PUT',
    path: `${P}/ownership`,
    operationId: 'updateOwnership',
    summary: 'Sets the ownership rules, which assign new issues. 400 names each invalid line.',
    action: 'project:write',
    body: ownershipChangeBody,
    response: restOwnership,
    handle: async ({ app, actor, found, body, request }) => {
      const project = projectOf(found)
      const change = {
        ...(body.raw === undefined ? {} : { text: body.raw }),
        ...(body.autoAssignment === undefined ? {} : { autoAssign: body.autoAssignment }),
      }
      await updateOwnership(app, actor, project, change, revisionOf(body, request))
      return { body: await toRestOwnership(app, project) }
    },
  }),
  route({
    method: 'POST',
    path: `${P}/ownership/try`,
    operationId: 'tryOwnership',
    summary: `Result of the rules for the newest event of the latest ${triedMax} issues. Nothing is saved.`,
    action: 'project:write',
    body: ownershipTestBody,
    response: restOwnershipTest,
    handle: async ({ app, found, body }) => ({ body: await tryOwnership(app, projectOf(found), body.raw) }),
  }),
]
