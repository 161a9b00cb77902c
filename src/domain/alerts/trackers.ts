/** Issue trackers that an organization can connect. */
export const trackerKinds = ['github', 'gitlab', 'jira', 'linear'] as const
export type TrackerKind = (typeof trackerKinds)[number]
/** A tracker issue is open, or closed in any way: done, cancelled, not planned. */
export type TrackerState = 'open' | 'closed'
/** What became of a delivery of a webhook. */
export const hookOutcomes = [
  'accepted',
  'ignored',
  'repeated',
  'unsigned',
  'bad_signature',
  'limited',
  'invalid',
] as const
export type HookOutcome = (typeof hookOutcomes)[number]

/** The base addresses of the hosted services. Jira has one for each site, so there is no default. */
export const hostedUrls: Readonly<Record<TrackerKind, string>> = {
  github: 'https://api.github.com',
  gitlab: 'https://gitlab.com',
  jira: '',
  linear: 'https://api.linear.app',
}
