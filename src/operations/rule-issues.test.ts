import { expect, test } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { silent } from '../base/observe.ts'
import { createOutgoing } from '../base/outgoing.ts'
import type { Incident } from '../store/meta/alerts/incidents.ts'
import { commit, effect, nowMs } from '../store/meta/fixture.cases.ts'
import { pushDue } from '../trackers/push.ts'
import { goodToken, startVendor } from '../trackers/vendors.cases.ts'
import { operationRig } from './rig.cases.ts'
import { trackerDeps } from './trackers.ts'

const fresh = operationRig()
const incident: Incident = {
  id: 0,
  organizationId: 1,
  title: 'WEB-1: Boom',
  state: 'critical',
  level: 'critical',
  peak: 'critical',
  startedMs: nowMs,
  changedMs: nowMs,
  endedMs: null,
  acknowledgedBy: null,
  acknowledgedMs: null,
  snoozedUntilMs: null,
  impact: 1,
  isBurst: false,
  release: '',
  deployId: null,
  projectIds: [1],
  notified: {},
  escalation: null,
}
const member = {
  ruleId: 7,
  issueId: 1,
  level: 'critical' as const,
  openedMs: nowMs,
  endedMs: null,
  value: null,
  threshold: null,
  sentence: '',
  causes: [],
  group: null,
  impact: 1,
}

/** Issue 1, and a connection whose token the service refuses if `token` is another one. */
async function rig(token = goodToken) {
  const outgoing = createOutgoing({ clock: systemClock, allowedNetworks: ['127.0.0.0/8'] })
  const deps = { ...(await fresh()), outgoing, observe: silent, config: { url: 'https://mishap.test' } }
  const { meta, seal } = deps
  await commit(meta, { events: [effect()] })
  const vendor = await startVendor('github')
  const integration = await meta.trackers.createIntegration({
    organizationId: 1,
    kind: 'github',
    name: 'Web',
    url: vendor.url,
    target: 'acme/web',
    email: '',
    account: 'octo',
    accountId: '7',
    sealedToken: seal.seal(token),
    sealedSecret: seal.seal('secret'),
    syncState: true,
    syncComments: true,
    connectedBy: 'ann',
  })
  /** Stores a decision that asks for tracker issues. */
  const decide = (...asked: { organizationId?: number; integrationId?: number; issueId?: number }[]) =>
    meta.incidents.storeDecision(
      () => ({
        incidents: [{ incident, members: [member], activities: [] }],
        deliveries: [],
        grown: [],
        trackerIssues: asked.map((one) => ({
          organizationId: 1,
          ruleId: 7,
          integrationId: integration.id,
          issueId: 1,
          ...one,
        })),
        dueIds: [],
        firingIds: [],
        postponed: [],
      }),
      nowMs,
    )
  const history = async () =>
    (await meta.incidents.incidentActivitiesOf(1, 10)).map(({ kind, data }) => [kind, data.reason]).reverse()
  return { ...deps, vendor, integration, decide, history, push: () => pushDue(trackerDeps(deps)) }
}

test('a decision creates one tracker issue for a rule and an issue, however often it fires', async () => {
  const { meta, vendor, integration, decide, history, push } = await rig()
  await decide({}, {})
  expect(vendor.issues).toEqual([])
  expect(await push()).toEqual({ settled: 1, failed: 0 })
  await decide({})
  expect(await push()).toEqual({ settled: 0, failed: 0 })
  expect(vendor.issues).toHaveLength(1)
  expect(await meta.trackers.externalIssuesOf(1)).toMatchObject([
    { integrationId: integration.id, origin: 'rule-7', key: 'acme/web#1', createdBy: null },
  ])
  expect(await history()).toEqual([['tracker_created', 'acme/web#1']])
})

test('a tracker of another organization, a gone tracker and a gone issue have no effect', async () => {
  const { meta, vendor, decide, push } = await rig()
  await decide({ organizationId: 2 }, { integrationId: 99 }, { issueId: 99 })
  expect(await push()).toEqual({ settled: 0, failed: 0 })
  expect([vendor.issues, await meta.trackers.externalIssuesOf(1)]).toEqual([[], []])
})

test('a service that fails is asked again after a pause, and the history has the first failure', async () => {
  const { clock, vendor, decide, history, push } = await rig()
  vendor.fail.push({ status: 500, body: { message: 'oops' } })
  vendor.fail.push({ status: 500, body: { message: 'oops' } })
  await decide({})
  expect(await push()).toEqual({ settled: 0, failed: 1 })
  expect(await push()).toEqual({ settled: 0, failed: 0 })
  clock.advance(10_000)
  expect(await push()).toEqual({ settled: 0, failed: 1 })
  clock.advance(60_000)
  expect(await push()).toEqual({ settled: 1, failed: 0 })
  expect(vendor.issues).toHaveLength(1)
  expect((await history()).map(([kind]) => kind)).toEqual(['tracker_failed', 'tracker_created'])
  expect((await history())[0]?.[1]).toContain('oops')
})

test('a refused token is in the link and the history; a new token creates the issue', async () => {
  const { meta, seal, clock, vendor, integration, decide, history, push } = await rig('wrong-token-99')
  await decide({})
  await push()
  clock.advance(7 * 3_600_000)
  expect(await push()).toEqual({ settled: 0, failed: 0 })
  expect(await meta.trackers.externalIssuesOf(1)).toMatchObject([{ externalId: '', attempts: 1 }])
  expect(await history()).toEqual([['tracker_failed', expect.stringMatching(/^Web: .*Bad credentials/)]])
  await meta.trackers.updateIntegration(integration.id, { sealedToken: seal.seal(goodToken) })
  expect(await push()).toEqual({ settled: 1, failed: 0 })
  expect(vendor.issues).toHaveLength(1)
})
