import type { TrackerKind } from '../../../../../../domain/alerts/trackers.ts'

/** Names of the services, the same in every language. */
export const serviceNames: Readonly<Record<TrackerKind, string>> = {
  github: 'GitHub',
  gitlab: 'GitLab',
  jira: 'Jira',
  linear: 'Linear',
}
