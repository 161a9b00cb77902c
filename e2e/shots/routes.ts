/** What a capture needs to address a screen. */
export type Places = {
  org: string
  project: string
  issue: string
  short: string
  event: string
  digest: string
  trace: string
  /** The id of a route on the performance pages. */
  route: string
  release: string
  releaseBefore: string
  invitation: string
  /** The id of an alert rule; 0 where there is none. */
  alert: string
  /** The id of a notification channel. */
  channel: string
  /** The id of an incident. */
  incident: string
}

/** Address of each screen, by the folder of its page in src/web/app. A page without an entry fails routes.test.ts. */
export const captures: Readonly<Record<string, (places: Places) => string>> = {
  '': () => '/',
  acknowledge: () => '/acknowledge?token=none',
  'confirm-address': () => '/confirm-address?secret=none',
  unsubscribe: () => '/unsubscribe?token=none',
  'd/[digest]': ({ digest }) => `/d/${digest}`,
  'e/[event]': ({ event }) => `/e/${event}`,
  find: () => '/find?q=nothing-like-this',
  'forgot-password': () => '/forgot-password',
  'i/[short]': ({ short }) => `/i/${short}`,
  'invite/[token]': ({ invitation }) => `/invite/${invitation}`,
  login: () => '/login',
  'o/[org]': ({ org }) => `/o/${org}`,
  'o/[org]/[...rest]': ({ org }) => `/o/${org}/no-such-screen`,
  'o/[org]/alerts': ({ org }) => `/o/${org}/alerts`,
  'o/[org]/alerts/[id]': ({ org, alert }) => `/o/${org}/alerts/${alert}`,
  'o/[org]/alerts/new': ({ org }) => `/o/${org}/alerts/new?preset=errors`,
  'o/[org]/alerts/incidents': ({ org }) => `/o/${org}/alerts/incidents`,
  'o/[org]/alerts/incidents/[id]': ({ org, incident }) => `/o/${org}/alerts/incidents/${incident}`,
  'o/[org]/alerts/mutes': ({ org }) => `/o/${org}/alerts/mutes`,
  'o/[org]/alerts/on-call': ({ org }) => `/o/${org}/alerts/on-call`,
  'o/[org]/dashboards': ({ org }) => `/o/${org}/dashboards`,
  'o/[org]/dashboards/[id]': ({ org }) => `/o/${org}/dashboards/health`,
  'o/[org]/explore': ({ org }) => `/o/${org}/explore`,
  'o/[org]/feedback': ({ org }) => `/o/${org}/feedback`,
  'o/[org]/issues': ({ org }) => `/o/${org}/issues`,
  'o/[org]/issues/[id]': ({ org, issue }) => `/o/${org}/issues/${issue}`,
  'o/[org]/issues/[id]/events': ({ org, issue }) => `/o/${org}/issues/${issue}/events`,
  'o/[org]/issues/[id]/events/[event]': ({ org, issue, event }) => `/o/${org}/issues/${issue}/events/${event}`,
  'o/[org]/issues/[id]/grouping': ({ org, issue }) => `/o/${org}/issues/${issue}/grouping`,
  ...Object.fromEntries(
    ['', '/assets', '/jobs', '/queries', '/requests', '/routes', '/vitals'].map((page) => [
      `o/[org]/performance${page}`,
      ({ org }: Places) => `/o/${org}/performance${page}`,
    ]),
  ),
  'o/[org]/performance/[route]': ({ org, route }) => `/o/${org}/performance/${route}`,
  'o/[org]/projects': ({ org }) => `/o/${org}/projects`,
  'o/[org]/projects/[project]/setup': ({ org, project }) => `/o/${org}/projects/${project}/setup`,
  'o/[org]/projects/new': ({ org }) => `/o/${org}/projects/new`,
  'o/[org]/releases': ({ org }) => `/o/${org}/releases`,
  'o/[org]/releases/[version]': ({ org, release }) => `/o/${org}/releases/${encodeURIComponent(release)}`,
  'o/[org]/releases/compare': ({ org, release, releaseBefore }) =>
    `/o/${org}/releases/compare?a=${encodeURIComponent(releaseBefore)}&b=${encodeURIComponent(release)}`,
  'o/[org]/settings': ({ org }) => `/o/${org}/settings`,
  'o/[org]/settings/account': ({ org }) => `/o/${org}/settings/account`,
  'o/[org]/settings/account/appearance': ({ org }) => `/o/${org}/settings/account/appearance`,
  'o/[org]/settings/account/notifications': ({ org }) => `/o/${org}/settings/account/notifications`,
  'o/[org]/settings/account/security': ({ org }) => `/o/${org}/settings/account/security`,
  'o/[org]/settings/account/tokens': ({ org }) => `/o/${org}/settings/account/tokens`,
  'o/[org]/settings/integrations': ({ org }) => `/o/${org}/settings/integrations`,
  'o/[org]/settings/members': ({ org }) => `/o/${org}/settings/members`,
  'o/[org]/settings/notifications': ({ org }) => `/o/${org}/settings/notifications`,
  'o/[org]/settings/notifications/[channel]': ({ org, channel }) => `/o/${org}/settings/notifications/${channel}`,
  'o/[org]/settings/organization': ({ org }) => `/o/${org}/settings/organization`,
  ...Object.fromEntries(
    [
      '',
      '/environments',
      '/filters',
      '/detectors',
      '/grouping',
      '/keys',
      '/ownership',
      '/rejected-data',
      '/source-maps',
      '/tombstones',
    ].map((page) => [
      `o/[org]/settings/projects/[project]${page}`,
      ({ org, project }: Places) => `/o/${org}/settings/projects/${project}${page}`,
    ]),
  ),
  'o/[org]/logs': ({ org }) => `/o/${org}/logs`,
  'o/[org]/settings/status': ({ org }) => `/o/${org}/settings/status`,
  'o/[org]/settings/tokens': ({ org }) => `/o/${org}/settings/tokens`,
  'o/[org]/metrics': ({ org }) => `/o/${org}/metrics`,
  'o/[org]/traces': ({ org }) => `/o/${org}/traces`,
  'o/[org]/traces/[id]': ({ org, trace }) => `/o/${org}/traces/${trace}`,
  'reset-password': () => '/reset-password?secret=none',
  setup: () => '/setup',
  't/[trace]': ({ trace }) => `/t/${trace}`,
}

/** What the address of a route names. */
function placesIn(route: string): ReadonlySet<keyof Places> {
  const named = new Set<keyof Places>()
  const recorder = new Proxy({} as Places, {
    get: (_places, name) => {
      named.add(name as keyof Places)
      return 'x'
    },
  })
  captures[route]?.(recorder)
  return named
}

/** Who looks, and what there is to see. `absent`: places that name nothing, because there is no data. */
export type Sight = { absent: readonly (keyof Places)[]; isViewer: boolean }

/** Whether a capture shows on purpose that there is no such page. */
export const isMeantMissing = (route: string, { absent, isViewer }: Sight): boolean =>
  route === 'o/[org]/[...rest]' ||
  (isViewer && route === 'o/[org]/settings/status') ||
  absent.some((place) => placesIn(route).has(place))

/** The routes whose pictures are stored and compared by `npm test`. */
export const comparedRoutes = [
  'login',
  'o/[org]',
  'o/[org]/issues',
  'o/[org]/issues/[id]',
  'o/[org]/releases',
  'o/[org]/releases/[version]',
  'o/[org]/settings/projects/[project]',
  'o/[org]/settings/status',
]

/** A route as a file name: `o/[org]/issues/[id]` is `o-org-issues-id`. */
export const fileOf = (route: string): string => route.replaceAll(/[[\].]/g, '').replaceAll('/', '-') || 'home'
