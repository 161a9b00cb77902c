import type { Scope } from '../../store/events/events.ts'
import type { PlanView } from './dataset.ts'

/** Returns the part of the events store that a view names. */
export const scopeOfView = ({ projects, environments, range }: PlanView): Scope => ({
  projectIds: projects.map((project) => project.id),
  environments,
  fromMs: range.fromMs,
  toMs: range.toMs,
})

/** The period before a scope, of the same length. */
export const scopeBefore = (scope: Scope, lengthMs: number): Scope => ({
  ...scope,
  fromMs: Math.max(0, scope.fromMs - lengthMs),
  toMs: Math.max(0, scope.toMs - lengthMs),
})

/** Returns the slug of a project by its id. */
export const slugsOf = (projects: readonly { id: number; slug: string }[]) => {
  const slugs = new Map(projects.map(({ id, slug }) => [id, slug]))
  return (id: number) => slugs.get(id) ?? String(id)
}
