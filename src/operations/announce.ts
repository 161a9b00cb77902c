import type { LiveChange } from '../contract/live.ts'

/** Where an operation reports what it changed, for the screens that are open. */
export type Announces = { live: { publish(organizationId: number, change: LiveChange): void } }

/** Tells the open screens of an organization that these issues changed. */
export function announceIssues({ live }: Announces, organizationId: number, issueIds: Iterable<number>): void {
  for (const id of issueIds) live.publish(organizationId, { kind: 'issue', id: String(id) })
}
