import { describe, expect, test } from 'vitest'
import { codeOf, nowMs } from '../fixture.cases.ts'
import type { MetaStore } from '../meta-store.ts'
import type { NewFiring } from './firing.ts'
import type { AlertDefinition, AlertRuleState } from './rules.ts'

const definition: AlertDefinition = {
  projectIds: [1],
  environment: 'prod',
  ownerId: 'ann',
  issue: {
    when: [{ type: 'new' }],
    match: 'any',
    filter: 'level:error',
    unless: { noise: true, skew: false, quietHours: null },
  },
  metric: null,
  actions: [{ type: 'members' }],
  intervalMinutes: 30,
  resolveMessage: true,
  escalation: [],
  unevaluable: [],
  original: { old: [1] },
}
const values = { name: 'New errors', active: true, mutedUntilMs: null, definition }
const own = { organizationId: 1, userId: 'ann', max: 3, ...values }
const state: AlertRuleState = {
  status: 'critical',
  reason: '',
  sinceMs: nowMs - 1,
  evaluatedMs: nowMs,
  value: 0.25,
  memory: { seen: [1] },
}
const waiting: AlertRuleState = { ...state, status: 'waiting', reason: 'Ingest is behind.', value: null }

const firing = (key: string, more: Partial<NewFiring> = {}): NewFiring => ({
  organizationId: 1,
  ruleId: 1,
  key,
  change: 'start',
  level: 'warning',
  atMs: nowMs,
  value: 2.5,
  threshold: 2,
  sentence: 'Twice as many.',
  cause: { projectIds: [1], issueIds: [7], release: 'web@1', deployId: null },
  trigger: 'new',
  eventId: 'e',
  sinceMs: nowMs - 5,
  ...more,
})

/** Cases of alert rules and firings, for every meta store. */
export function alertRuleCases(fresh: () => Promise<MetaStore>): void {
  describe('alert rules', () => {
    test('are listed by name for their organization, and by kind for evaluators', async () => {
      const { alertRules, organizations } = await fresh()
      await organizations.createOrganization({ slug: 'other', name: 'Other', ownerUserId: 'ann' })
      const first = await alertRules.createAlertRule(own)
      const second = await alertRules.createAlertRule({ ...own, name: 'A', active: false })
      const foreign = await alertRules.createAlertRule({ ...own, organizationId: 2 })
      expect(await alertRules.listAlertRules(1)).toEqual([second, first])
      expect(await alertRules.alertRuleById(first.id)).toEqual({
        id: first.id,
        organizationId: 1,
        kind: 'issue',
        ...values,
        createdMs: nowMs,
        createdBy: 'ann',
        rev: 0,
        changedMs: null,
        changedBy: null,
        workflow: null,
        state: { status: 'ok', reason: '', sinceMs: null, evaluatedMs: null, value: null, memory: null },
      })
      expect((await alertRules.listActiveAlertRules('issue')).map(({ id }) => id)).toEqual([first.id, foreign.id])
      expect(await alertRules.listActiveAlertRules('metric')).toEqual([])
    })

    test('an outdated change, too many rules and a rule that is too large are refused', async () => {
      const { alertRules } = await fresh()
      const { id } = await alertRules.createAlertRule(own)
      expect(await alertRules.updateAlertRule(id, { name: 'B', mutedUntilMs: 5 }, 'bob', 0)).toMatchObject({
        name: 'B',
        mutedUntilMs: 5,
        definition,
        rev: 1,
        changedBy: 'bob',
        changedMs: nowMs,
      })
      expect(await codeOf(() => alertRules.updateAlertRule(id, { name: 'C' }, 'ann', 0))).toBe('CONFLICT')
      expect(await codeOf(() => alertRules.deleteAlertRule(id, 0))).toBe('CONFLICT')
      expect(await codeOf(() => alertRules.updateAlertRule(99, { name: 'C' }, 'ann'))).toBe('NOT_FOUND')
      const large = { ...definition, original: 'x'.repeat(200_000) }
      expect(await codeOf(() => alertRules.updateAlertRule(id, { definition: large }, 'ann'))).toBe('VALIDATION')
      await alertRules.createAlertRule(own)
      await alertRules.createAlertRule(own)
      expect(await codeOf(() => alertRules.createAlertRule(own))).toBe('CONFLICT')
      await alertRules.deleteAlertRule(id, 1)
      expect(await alertRules.alertRuleById(id)).toBeUndefined()
    })

    test('a deleted one comes back as it was for a day, in its organization only', async () => {
      const meta = await fresh()
      const { alertRules } = meta
      const unevaluable = {
        ...values,
        definition: { ...definition, unevaluable: ['x'] },
        active: false,
        mutedUntilMs: 7,
      }
      const rule = await alertRules.createAlertRule({ ...own, ...unevaluable })
      await alertRules.deleteAlertRule(rule.id)
      const back = { organizationId: 1, id: rule.id, max: 3 }
      expect(await codeOf(() => alertRules.restoreAlertRule({ ...back, organizationId: 2 }))).toBe('NOT_FOUND')
      expect(await codeOf(() => alertRules.restoreAlertRule({ ...back, max: 0 }))).toBe('CONFLICT')
      expect(await alertRules.restoreAlertRule(back)).toEqual({ ...rule, rev: 1 })
      expect(await alertRules.alertRuleById(rule.id)).toEqual({ ...rule, rev: 1 })
      expect(await codeOf(() => alertRules.restoreAlertRule(back))).toBe('NOT_FOUND')
      await alertRules.deleteAlertRule(rule.id)
      await meta.retention.prune(nowMs + 86_400_001, 0, 0)
      expect(await codeOf(() => alertRules.restoreAlertRule(back))).toBe('NOT_FOUND')
    })

    test('several are deleted, changed and created in one transaction: all or none', async () => {
      const { alertRules } = await fresh()
      const [first, second] = [await alertRules.createAlertRule(own), await alertRules.createAlertRule(own)]
      const by = { organizationId: 1, userId: 'bob', max: 2 }
      const changes = {
        ...by,
        deleted: [{ id: first.id, rev: 0 }],
        changed: [{ id: second.id, rev: 0, values: { ...values, name: 'B' } }],
        created: [{ ...values, name: 'C' }],
      }
      const stale = { ...changes, changed: [{ id: second.id, rev: 7, values }] }
      expect(await codeOf(() => alertRules.changeAlertRules(stale))).toBe('CONFLICT')
      const tooMany = { ...changes, created: [values, values] }
      expect(await codeOf(() => alertRules.changeAlertRules(tooMany))).toBe('CONFLICT')
      const gone = { ...changes, changed: [{ id: 99, rev: 0, values }] }
      expect(await codeOf(() => alertRules.changeAlertRules(gone))).toBe('NOT_FOUND')
      expect(await alertRules.listAlertRules(1)).toEqual([first, second])
      await alertRules.changeAlertRules(changes)
      expect(await alertRules.listAlertRules(1)).toMatchObject([
        { id: second.id, name: 'B', rev: 1, changedBy: 'bob' },
        { name: 'C', rev: 0, createdBy: 'bob' },
      ])
      await alertRules.changeAlertRules({ ...by, deleted: [], changed: [], created: [] })
      expect(await alertRules.listAlertRules(1)).toHaveLength(2)
    })

    test('the version is another one after each change of a rule, and the same after one of a state', async () => {
      const { alertRules } = await fresh()
      const versions = [await alertRules.getAlertRuleVersion()]
      const { id } = await alertRules.createAlertRule(own)
      versions.push(await alertRules.getAlertRuleVersion())
      await alertRules.updateAlertRule(id, { name: 'B' }, 'ann')
      versions.push(await alertRules.getAlertRuleVersion())
      const next = await alertRules.createAlertRule(own)
      await alertRules.deleteAlertRule(id)
      versions.push(await alertRules.getAlertRuleVersion())
      await alertRules.deleteAlertRule(next.id)
      versions.push(await alertRules.getAlertRuleVersion())
      expect(new Set(versions).size).toBe(4)
      expect(versions.at(-1)).toBe(versions[0])
      await alertRules.createAlertRule(own)
      const last = await alertRules.getAlertRuleVersion()
      await alertRules.saveEvaluation({ states: [{ ruleId: next.id + 1, rev: 0, state }] })
      expect(await alertRules.getAlertRuleVersion()).toBe(last)
    })

    test('go with their organization', async () => {
      const meta = await fresh()
      const { id } = await meta.organizations.createOrganization({ slug: 'gone', name: 'Gone', ownerUserId: 'ann' })
      const rule = await meta.alertRules.createAlertRule({ ...own, organizationId: id })
      await meta.alertRules.saveEvaluation({
        firings: [firing('a', { organizationId: id, ruleId: rule.id })],
        states: [{ ruleId: rule.id, rev: 0, state }],
      })
      expect(await meta.retention.organizationLeft(id)).toEqual(expect.arrayContaining(['alert_rule', 'alert_firing']))
      const removal = await meta.retention.requestOrganizationRemoval({ organizationId: id, userId: 'ann' })
      await meta.retention.removeOrganization(removal.id)
      expect(await meta.retention.organizationLeft(id)).toEqual([])
    })
  })

  describe('firings', () => {
    test('are stored with the states, once for each key, and not for a rule that changed or is gone', async () => {
      const { alertRules } = await fresh()
      const { id } = await alertRules.createAlertRule(own)
      const changed = await alertRules.createAlertRule(own)
      await alertRules.updateAlertRule(changed.id, { name: 'B' }, 'ann')
      const evaluation = {
        states: [
          { ruleId: id, rev: 0, state },
          { ruleId: changed.id, rev: 0, state },
          { ruleId: 99, rev: 0, state },
        ],
        firings: [
          firing('a', { ruleId: id }),
          firing('b', { ruleId: changed.id }),
          firing('c', { ruleId: 99 }),
          firing('d', { ruleId: null }),
        ],
      }
      await alertRules.saveEvaluation(evaluation)
      await alertRules.saveEvaluation(evaluation)
      const stored = [
        { ...firing('a', { ruleId: id }), id: expect.any(Number), decidedMs: null },
        { ...firing('d', { ruleId: null }), id: expect.any(Number), decidedMs: null },
      ]
      expect(await alertRules.firingsUndecided(10)).toEqual(stored)
      expect(await alertRules.firingsUndecided(1)).toEqual(stored.slice(0, 1))
      expect(await alertRules.firingsUndecided(10, 1)).toEqual(stored)
      expect(await alertRules.firingsUndecided(10, 2)).toEqual([])
      expect(await alertRules.firingsOf(id, nowMs, 10)).toEqual(stored.slice(0, 1))
      expect(await alertRules.firingsOf(id, nowMs + 1, 10)).toEqual([])
      expect((await alertRules.alertRuleById(id))?.state).toEqual(state)
      expect((await alertRules.alertRuleById(changed.id))?.state.status).toBe('ok')
      await alertRules.saveEvaluation({ states: [{ ruleId: id, rev: 0, state: waiting }] })
      expect((await alertRules.alertRuleById(id))?.state).toEqual(waiting)
    })

    test('a new condition ends what the old one had found; a new name or receiver does not', async () => {
      const { alertRules } = await fresh()
      const { id } = await alertRules.createAlertRule(own)
      await alertRules.saveEvaluation({ states: [{ ruleId: id, rev: 0, state }] })
      const renamed = await alertRules.updateAlertRule(
        id,
        { name: 'B', definition: { ...definition, actions: [] } },
        'ann',
      )
      expect([renamed.state, await alertRules.firingsUndecided(9)]).toEqual([state, []])
      const off = await alertRules.updateAlertRule(id, { active: false }, 'ann')
      expect(off.state).toMatchObject({ status: 'ok', sinceMs: null })
      expect(await alertRules.firingsUndecided(9)).toMatchObject([
        { ruleId: id, change: 'end', level: 'critical', sinceMs: state.sinceMs, cause: { projectIds: [1] } },
      ])
      expect((await alertRules.updateAlertRule(id, { active: true }, 'ann')).state.status).toBe('ok')
      expect(await alertRules.firingsUndecided(9)).toHaveLength(1)
    })

    test('of more rules than one statement takes are all stored', async () => {
      const { alertRules } = await fresh()
      const { id } = await alertRules.createAlertRule(own)
      const firings = Array.from({ length: 1_201 }, (_, at) => firing(`k${at}`, { ruleId: id, atMs: nowMs + at }))
      await alertRules.saveEvaluation({ firings, states: [{ ruleId: id, rev: 0, state }] })
      expect(await alertRules.firingsUndecided(2_000)).toHaveLength(1_201)
      expect((await alertRules.firingsOf(id, nowMs, 2)).map(({ key }) => key)).toEqual(['k1200', 'k1199'])
      await alertRules.saveEvaluation({ firings: [...firings, firing('last', { ruleId: id })] })
      expect(await alertRules.firingsUndecided(2_000)).toHaveLength(1_202)
    })

    test('keep every field, whatever a rule and its texts contain', async () => {
      const { alertRules } = await fresh()
      const hostile = '"\'\u0000\u202e<b>%s\\'
      const { id } = await alertRules.createAlertRule({
        ...own,
        name: 'q\'"<b>',
        definition: { ...definition, unevaluable: [hostile], original: { [hostile]: [hostile, null, 1.5] } },
      })
      expect((await alertRules.alertRuleById(id))?.definition).toMatchObject({
        unevaluable: [hostile],
        original: { [hostile]: [hostile, null, 1.5] },
      })
      const end = firing('e', {
        ruleId: id,
        change: 'end',
        level: 'critical',
        value: null,
        threshold: null,
        sentence: hostile,
        cause: { projectIds: [], issueIds: [], release: hostile, deployId: 3 },
      })
      await alertRules.saveEvaluation({ firings: [end] })
      expect(await alertRules.firingsOf(id, 0, 5)).toMatchObject([end])
    })
  })
}
