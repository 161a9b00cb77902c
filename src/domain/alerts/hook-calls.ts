import type { TrackerKind } from './trackers.ts'

/** The header that proves the sender of a webhook, by service. */
export const signatureHeaderOf: Readonly<Record<TrackerKind, string>> = {
  github: 'x-hub-signature-256',
  gitlab: 'x-gitlab-token',
  jira: 'x-hub-signature',
  linear: 'linear-signature',
}

/** The header with Slack's signature. */
export const slackSignatureHeader = 'x-slack-signature'

/** Process main tells app with this header that it did not read the body. Clients cannot send it. */
export const unreadBodyHeader = 'x-body-unread'

const hookPath = /^\/api\/0\/(?:trackers\/[^/]{1,100}\/webhook|hooks\/slack\/[^/]{1,100})\/?$/
const signatureHeaders = [...Object.values(signatureHeaderOf), slackSignatureHeader]

/** Whether services call this path without a token: a webhook of a tracker, or a click in Slack. */
export const isHookPath = (path: string): boolean => hookPath.test(path)

/** Whether a call has a signature, right or wrong. `headerOf` returns the value of a header. */
export const hasSignature = (headerOf: (header: string) => unknown): boolean =>
  signatureHeaders.some((header) => Boolean(headerOf(header)))
