import type { Actor } from '../../auth/auth.ts'
import { MishapError } from '../../base/errors.ts'
import type { App } from '../../processes/parts.ts'
import type { Issue } from '../../store/meta/meta.ts'
import { manyFrom, patienceMs } from './issue-change.ts'

/** Issues that became one: `parent` stays, `children` are gone and lead there. */
type Merged = { parent: string; children: string[] }

/**
 * Makes issues that the caller may triage one and tells the listeners. The one with most events stays, of equal ones the
 * older. Many are merged in steps in the background, which a restart goes on with; this waits some seconds for their end.
 * Throws VALIDATION for fewer than two and for issues of several projects, CONFLICT while one is being deleted.
 */
export async function mergeIssues(app: App, actor: Actor, issues: readonly Issue[]): Promise<Merged> {
  const [parent, ...children] = issues.toSorted((a, b) => b.count - a.count || a.id - b.id)
  if (!parent || children.length === 0)
    throw new MishapError('VALIDATION', { fields: { merge: ['At least two issues that you may change.'] } })
  const ids = children.map((child) => child.id)
  const [userId, { organizationId }] = [actor.person.id, parent]
  if (ids.length >= manyFrom) {
    const { id } = app.triage.bulks.merge({ organizationId, userId, intoId: parent.id, fromIds: ids })
    await app.triage.bulks.wait(id, patienceMs)
    return { parent: String(parent.id), children: ids.map(String) }
  }
  const { merged } = app.meta.mergeIssues(parent.id, ids, userId, app.clock.now())
  for (const id of [parent.id, ...merged]) app.live.publish(organizationId, { kind: 'issue', id: String(id) })
  return { parent: String(parent.id), children: merged.map(String) }
}
