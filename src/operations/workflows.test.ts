import { expect, test } from 'vitest'
import { MishapError } from '../base/errors.ts'
import type { AlertAction } from '../contract/alerts/alerts.ts'
import type { Workflow, WorkflowChange } from '../store/meta/alerts/workflows.ts'
import { createWorkflow, updateWorkflow } from './workflows.ts'

const channels = Array.from({ length: 21 }, (_, at) => ({ id: at + 1 }))
const to = (...ids: number[]): AlertAction[] => ids.map((id) => ({ type: 'channel', channel: String(id) }))
const change = (actions: AlertAction[], enabled = true): WorkflowChange => ({
  name: 'Ops',
  enabled,
  environment: null,
  intervalMinutes: 30,
  triggers: null,
  actionFilters: [],
  actions,
  ruleIds: [1],
})
const workflow = { id: 5, organizationId: 1 } as Workflow

/** Deps that note what is stored. */
function rig() {
  const stored: WorkflowChange[] = []
  const store = async (value: WorkflowChange) => {
    stored.push(value)
    return workflow
  }
  const deps = {
    meta: {
      alerts: { channelsOf: async () => channels },
      organizations: { membersOf: async () => [] },
      incidents: { listSchedules: async () => [] },
      trackers: { integrationsOf: async () => [{ id: 1 }] },
      alertRules: {
        createWorkflow: (_by: unknown, value: WorkflowChange) => store(value),
        updateWorkflow: (_id: number, _by: unknown, value: WorkflowChange) => store(value),
      },
    },
  } as never
  const by = { organizationId: 1, userId: 'ann' }
  return {
    stored,
    writes: [
      (value: WorkflowChange) => createWorkflow(deps, by, value),
      (value: WorkflowChange) => updateWorkflow(deps, workflow, value, 'ann', undefined),
    ],
  }
}

test.each<[string, AlertAction[], string]>([
  ['no receiver', [], 'actions'],
  ['more receivers than a rule has', to(...channels.map(({ id }) => id)), 'actions'],
  ['a channel that is not there', to(1, 99), 'actions.1'],
  ['a tracker, which metric rules do not have', [{ type: 'tracker', tracker: '1', options: {} }], 'actions.0'],
])('a workflow with %s is refused and not stored, also one that is off', async (_, actions, field) => {
  const { stored, writes } = rig()
  for (const write of writes)
    for (const enabled of [true, false]) {
      const error = await write(change(actions, enabled)).catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(MishapError)
      expect(Object.keys((error as MishapError).fields ?? {})).toEqual([field])
    }
  expect(stored).toEqual([])
})

test('the rules of a workflow that is off get no receivers', async () => {
  const { stored, writes } = rig()
  for (const write of writes) {
    await write(change(to(1, 2)))
    await write(change(to(1, 2), false))
  }
  expect(stored.map(({ actions }) => actions)).toEqual([to(1, 2), [], to(1, 2), []])
})
