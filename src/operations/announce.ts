import type { LiveChange } from '../contract/live.ts'

/** Publishes the changes of an operation to the open screens. */
export type Announces = { live: { publish(organizationId: number, change: LiveChange): void } }

/** Announces to the open screens of an organization that these issues changed. */
export function announceIssues({ live }: Announces, organizationId: number, issueIds: Iterable<number>): void {
  for (const id of issueIds) live.publish(organizationId, { kind: 'issue', id: String(id) })
}
