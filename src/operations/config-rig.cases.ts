import { beforeEach } from 'vitest'
import { MishapError } from '../base/errors.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import { applyConfig, exportConfig, planConfig } from './config-apply.ts'
import { createOnCallSchedule } from './on-call.ts'
import { operationRig } from './rig.cases.ts'

export const addChannel = (meta: MetaStore, name: string) =>
  meta.alerts.createChannel({
    organizationId: 1,
    projectId: null,
    kind: 'slack',
    name,
    sealedTarget: 't',
    sealedSecret: '',
  })

/**
 * Makes organizations `acme` with the members ann and bob, a channel, a tracker and a schedule. `before`: channels that
 * were there and are gone, so that ids differ; such an organization has no schedule.
 */
export function configRig() {
  const fresh = operationRig()
  return async (before = 0) => {
    const made = await fresh()
    const { organizations, alerts, trackers } = made.meta
    await organizations.setMember(1, 'bob', 'member')
    const people = async (ids: string[]) =>
      ids.filter((id) => ['ann', 'bob'].includes(id)).map((id) => ({ id, name: id, email: `${id}@example.test` }))
    const deps = {
      ...made,
      meta: { ...made.meta, people: { ...made.meta.people, people } },
      auth: made.meta.people,
      config: { alertRulesMax: 200 },
    }
    const others = await Array.fromAsync({ length: before }, (_, at) => addChannel(deps.meta, `other ${at}`))
    await addChannel(deps.meta, 'Ops: #1')
    for (const { id } of others) await alerts.deleteChannel(id)
    await trackers.createIntegration({
      organizationId: 1,
      kind: 'github',
      name: 'Code "x"',
      url: 'https://api.github.com',
      target: 'acme/web',
      email: '',
      account: 'bot',
      accountId: '1',
      sealedToken: 't',
      sealedSecret: 's',
      syncState: true,
      syncComments: false,
      connectedBy: 'ann',
    })
    const schedule = { name: 'Night - shift', timeZone: 'Europe/Berlin', handOverDay: 1, handOverTime: '09:00' }
    if (before === 0)
      await createOnCallSchedule(deps, 1, { ...schedule, startDate: '2026-01-05', members: ['bob', 'ann'] })
    const [channel, tracker] = [await alerts.channelsOf(1), await trackers.integrationsOf(1)]
    return {
      deps,
      channel: String(channel.find(({ name }) => name === 'Ops: #1')?.id),
      tracker: String(tracker[0]?.id),
      schedule: '1',
    }
  }
}
export type ConfigRig = Awaited<ReturnType<ReturnType<typeof configRig>>>

type Files = Record<string, string>

/** The commands over the configuration of `acme`. `faultsOf`: the message with which a plan is refused, or ''. */
export function configCommands(deps: () => Parameters<typeof applyConfig>[0]) {
  const plan = (files: Files, isPruned = false) => planConfig(deps(), 'acme', files, isPruned)
  return {
    exported: async () => (await exportConfig(deps(), 'acme')).files,
    plan,
    apply: (files: Files, isPruned = false) => applyConfig(deps(), 'acme', files, isPruned),
    faultsOf: (files: Files, isPruned = false) =>
      plan(files, isPruned).then(
        () => '',
        (error: unknown) => (error instanceof MishapError ? error.message : String(error)),
      ),
  }
}

/** A fresh organization for each test of a file, with at most 5 alert rules, and the commands over it. */
export function freshConfig() {
  const fresh = operationRig()
  const state = {} as { rig: Awaited<ReturnType<typeof fresh>> }
  beforeEach(async () => {
    state.rig = await fresh()
  })
  const deps = () => ({ ...state.rig, auth: state.rig.meta.people, config: { alertRulesMax: 5 } })
  return { state, deps, ...configCommands(deps) }
}
