import { describe, expect, test } from 'vitest'
import { codeOf, nowMs } from '../fixture.cases.ts'
import type { MetaStore } from '../meta-store.ts'
import type { AlertDefinition } from './rules.ts'
import type { WorkflowChange } from './workflows.ts'

const definition: AlertDefinition = {
  projectIds: [1],
  environment: null,
  ownerId: null,
  issue: null,
  metric: { of: 'a' } as AlertDefinition['metric'],
  actions: [],
  intervalMinutes: 30,
  resolveMessage: true,
  escalation: [],
  unevaluable: [],
  original: null,
}
const by = { organizationId: 1, userId: 'ann' }
const rule = { ...by, max: 9, name: 'Slow', active: true, mutedUntilMs: null, definition }
const receivers = { actions: [{ type: 'members' as const }], intervalMinutes: 60 }
const values = {
  name: 'Everybody',
  enabled: true,
  environment: 'production',
  intervalMinutes: 60,
  triggers: { logicType: 'any', text: '"\'\u0000<b>' },
  actionFilters: [{ actions: [{ type: 'email' }] }],
}
const to = (...ruleIds: number[]): WorkflowChange => ({ ...values, ...receivers, ruleIds })

/** Cases of workflows of metric rules, for every meta store. */
export function workflowCases(fresh: () => Promise<MetaStore>): void {
  async function withRules() {
    const meta = await fresh()
    const { alertRules } = meta
    const ids = [await alertRules.createAlertRule(rule), await alertRules.createAlertRule(rule)].map(({ id }) => id)
    const [first = 0, second = 0] = ids
    const definitions = async () => (await alertRules.listAlertRules(1)).map((one) => one.definition)
    return { meta, alertRules, first, second, definitions }
  }

  describe('workflows of metric rules', () => {
    test('give their rules receivers, and keep every field', async () => {
      const { alertRules, first, second, definitions } = await withRules()
      const workflow = await alertRules.createWorkflow(by, to(second, first))
      expect(workflow).toEqual({
        ...values,
        id: workflow.id,
        organizationId: 1,
        ruleIds: [first, second],
        createdMs: nowMs,
        rev: 0,
        changedMs: null,
      })
      expect(await alertRules.workflowById(workflow.id)).toEqual(workflow)
      expect([await alertRules.listWorkflows(1), await alertRules.listWorkflows(2)]).toEqual([[workflow], []])
      expect((await alertRules.listAlertRules(1)).map((one) => one.workflow)).toEqual([
        { id: workflow.id, name: 'Everybody' },
        { id: workflow.id, name: 'Everybody' },
      ])
      expect(await definitions()).toEqual([
        { ...definition, ...receivers },
        { ...definition, ...receivers },
      ])
      expect(await alertRules.updateWorkflow(workflow.id, by, { ...to(second), name: 'One' }, 0)).toMatchObject({
        name: 'One',
        ruleIds: [second],
        rev: 1,
        changedMs: nowMs,
      })
      expect((await definitions()).map(({ actions }) => actions)).toEqual([[], receivers.actions])
      await alertRules.deleteWorkflow(workflow.id, 'ann', 1)
      expect([await alertRules.workflowById(workflow.id), (await alertRules.alertRuleById(second))?.workflow]).toEqual([
        undefined,
        null,
      ])
      expect((await definitions()).map(({ actions }) => actions)).toEqual([[], []])
    })

    test('that are refused are not stored, and change no rule', async () => {
      const { meta, alertRules, first, second, definitions } = await withRules()
      await meta.organizations.createOrganization({ slug: 'other', name: 'Other', ownerUserId: 'ann' })
      const foreign = await alertRules.createAlertRule({ ...rule, organizationId: 2 })
      const issue = { when: [], match: 'any', filter: '' } as unknown as AlertDefinition['issue']
      const ofIssues = await alertRules.createAlertRule({ ...rule, definition: { ...definition, issue, metric: null } })
      const other = await alertRules.createWorkflow(by, to(second))
      const before = [await definitions(), await alertRules.listWorkflows(1)]
      const large = { ...to(first), triggers: { text: 'x'.repeat(200_000) } }
      for (const change of [to(first, second), to(first, foreign.id), to(first, ofIssues.id), to(first, 99), large]) {
        expect(await codeOf(() => alertRules.createWorkflow(by, change))).toBe('VALIDATION')
        if (!change.ruleIds.includes(second))
          expect(await codeOf(() => alertRules.updateWorkflow(other.id, by, change))).toBe('VALIDATION')
      }
      expect(await codeOf(() => alertRules.updateWorkflow(other.id, by, to(first), 7))).toBe('CONFLICT')
      expect(await codeOf(() => alertRules.deleteWorkflow(other.id, 'ann', 7))).toBe('CONFLICT')
      expect(await codeOf(() => alertRules.updateWorkflow(99, by, to(first)))).toBe('NOT_FOUND')
      expect(await codeOf(() => alertRules.deleteWorkflow(99, 'ann'))).toBe('NOT_FOUND')
      expect([await definitions(), await alertRules.listWorkflows(1)]).toEqual(before)
    })

    test('lose a rule that a configuration file gives other receivers, and go with the last one', async () => {
      const { alertRules, first, second } = await withRules()
      const { id } = await alertRules.createWorkflow(by, to(first, second))
      const apply = async (ruleId: number, more: Partial<AlertDefinition>) => {
        const rev = (await alertRules.alertRuleById(ruleId))?.rev ?? -1
        const change = { name: 'Slow', active: true, mutedUntilMs: null }
        const changed = [
          { id: ruleId, rev, values: { ...change, definition: { ...definition, ...receivers, ...more } } },
        ]
        await alertRules.changeAlertRules({ ...by, max: 9, created: [], changed, deleted: [] })
        return alertRules.workflowById(id)
      }
      expect(await apply(first, { environment: 'production' })).toMatchObject({ ruleIds: [first, second], rev: 0 })
      expect(await apply(first, { intervalMinutes: 5 })).toMatchObject({ ruleIds: [second], rev: 1 })
      expect((await alertRules.alertRuleById(first))?.workflow).toBeNull()
      expect(await apply(second, { actions: [] })).toBeUndefined()
      const next = await alertRules.createWorkflow(by, to(first, second))
      await alertRules.deleteAlertRule(first)
      expect(await alertRules.workflowById(next.id)).toMatchObject({ ruleIds: [second], rev: 1 })
      await alertRules.deleteAlertRule(second)
      expect(await alertRules.listWorkflows(1)).toEqual([])
    })

    test('go with their organization', async () => {
      const meta = await fresh()
      const { id } = await meta.organizations.createOrganization({ slug: 'gone', name: 'Gone', ownerUserId: 'ann' })
      const one = await meta.alertRules.createAlertRule({ ...rule, organizationId: id })
      await meta.alertRules.createWorkflow({ organizationId: id, userId: 'ann' }, to(one.id))
      expect(await meta.retention.organizationLeft(id)).toEqual(expect.arrayContaining(['alert_rule', 'workflow']))
      const removal = await meta.retention.requestOrganizationRemoval({ organizationId: id, userId: 'ann' })
      await meta.retention.removeOrganization(removal.id)
      expect(await meta.retention.organizationLeft(id)).toEqual([])
    })
  })
}
