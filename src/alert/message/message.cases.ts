import type { AlertKind } from '../../store/meta/issues/alerts.ts'
import type { Issue } from '../../store/meta/meta.ts'
import { builtInMessage, type Message } from './message.ts'

const issue: Issue = {
  id: 7,
  projectId: 1,
  organizationId: 1,
  shortId: 'WEB-7',
  kind: 'error',
  title: 'TypeError: x is not a function',
  culprit: 'app/page',
  level: 'error',
  platform: 'javascript',
  logger: '',
  metadata: {},
  status: 'unresolved',
  substatus: 'new',
  statusDetails: {},
  assigneeUserId: null,
  firstSeenMs: 0,
  lastSeenMs: 1000,
  count: 3,
  firstRelease: 'web@1',
  lastRelease: 'web@2',
  unhandled: true,
  comments: 0,
  rev: 0,
  stateMs: 0,
  priority: null,
  noise: null,
  diagnosticCounts: {},
}
const project = {
  id: 1,
  organizationId: 1,
  slug: 'web',
  name: 'Web',
  platform: null,
  createdMs: 0,
  firstEventMs: 0,
  allowedOrigins: [],
} as unknown as Message['alerts'][number]['project']
/** An issue in a message. */
export const alerted = (change: Partial<Issue> = {}, kind: AlertKind = 'new') => ({
  issue: { ...issue, ...change },
  project,
  kind,
  eventId: 'e'.repeat(32),
})
/** A message of the built-in notifications. */
export const message = (more: Partial<Parameters<typeof builtInMessage>[0]> = {}): Message =>
  builtInMessage({
    id: 'delivery-9',
    organization: { id: 1, slug: 'acme', name: 'Acme', createdMs: 0 },
    kind: 'issue',
    alerts: [alerted()],
    more: 0,
    url: 'https://m.test',
    ...more,
  })
