import { api, type Product, type Project, until } from '../product.ts'
import { hostileTexts } from './data.ts'

// Alert rules of a shop for the pictures: one of each kind, one muted, one paused.

const post = async (product: Product, project: Project, path: string, body: unknown): Promise<string> => {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const answer = await api(product, project, `/organizations/${project.org}/${path}`, init)
  const { id, channel } = answer.json as { id?: string; channel?: { id: string } }
  const made = id ?? channel?.id
  if (!made) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.json)}`)
  return made
}

const plan = (dataset: string, aggregate: string, query: string) => ({
  dataset,
  query,
  series: [{ name: 'a', aggregate }],
})

const metric = (query: string, critical: number) => ({
  plan: plan('errors', 'count()', query),
  of: 'a',
  windowMinutes: 60,
  threshold: { type: 'fixed', direction: 'above', critical },
})

/**
 * Adds the rule of the incident that the pictures show. Call it before the events come: only an issue that is new to a rule
 * starts an incident. It tells nobody, so that no failed message changes the frame of other pictures.
 */
export async function addIncidentRule(product: Product, project: Project): Promise<void> {
  const isHostile = project.org === 'hostile'
  await post(product, project, 'alerts/', {
    name: isHostile ? hostileTexts[0].slice(0, 60) : 'Fatal error in production',
    projects: [project.slug],
    // One issue of the shop is fatal.
    issue: { when: [{ type: 'new' }], filter: isHostile ? '' : 'level:fatal' },
  })
}

/** Waits for the incident of that rule, and returns its id. */
export const incidentOf = (product: Product, project: Project): Promise<string> =>
  until(`the incident of ${project.org}`, 60_000, async () => {
    const answer = await api(product, project, `/organizations/${project.org}/incidents/`)
    return (answer.json as { id: string }[]).at(-1)?.id
  })

/** Adds a channel and rules, and returns the id of the first rule. Names of a hostile organization are hostile. */
export async function addAlerts(product: Product, project: Project): Promise<string> {
  const isHostile = project.org === 'hostile'
  const name = (plain: string, at: number): string => (isHostile ? (hostileTexts[at]?.slice(0, 180) ?? plain) : plain)
  // A channel's name has at most 64 characters. Control characters are refused, not shown.
  const channelName = isHostile ? '<b>#all</b> @channel' : 'Everybody on call'
  const channel = await post(product, project, 'notification-channels/', {
    kind: 'email',
    name: channelName,
    target: 'members',
  })
  const actions = [{ type: 'channel', channel }, { type: 'assignee' }]
  const add = (rule: object) => post(product, project, 'alerts/', { actions, ...rule })
  const first = await add({
    name: name('Checkout failing', 0),
    projects: [project.slug],
    metric: metric(isHostile ? `message:"${'<b>'.repeat(3)}"` : '', isHostile ? 1 : 3),
  })
  await add({ name: name('New issue in production', 1), environment: 'production', issue: { when: [{ type: 'new' }] } })
  await add({
    name: isHostile ? '<i>paused</i>' : 'Regressed or escalating',
    isActive: false,
    issue: { when: [{ type: 'regression' }, { type: 'escalation' }] },
  })
  return first
}
