import { describe, expect, test } from 'vitest'
import { commit, effect, hash, nowMs, stored } from '../fixture.cases.ts'
import type { FeedbackEffect } from '../issues/feedback.ts'
import type { MetaStore } from '../meta-store.ts'
import type { AlertDefinition } from './rules.ts'

const definition: AlertDefinition = {
  projectIds: [],
  environment: null,
  ownerId: null,
  issue: { when: [{ type: 'new' }], match: 'any', filter: '', unless: { noise: false, skew: false, quietHours: null } },
  metric: null,
  actions: [],
  intervalMinutes: 30,
  resolveMessage: true,
  escalation: [],
  unevaluable: [],
  original: null,
}

const rule = { organizationId: 1, userId: 'ann', max: 9, name: 'R', active: true, mutedUntilMs: null, definition }

const feedback = (feedbackId: string): FeedbackEffect => ({
  row: {
    projectId: 1,
    feedbackId,
    eventId: '',
    kind: 'feedback',
    name: '',
    email: '',
    message: 'It broke',
    url: '',
    replayId: '',
    environment: 'prod',
    release: 'web@1',
    receivedMs: nowMs,
  },
  outcome: { ...stored, category: 'feedback' },
})

/** Kinds and issues of the triggers in the outbox, oldest first. */
const triggersOf = async ({ alertRules }: MetaStore) =>
  (await alertRules.issueTriggersDue(100, nowMs)).map(({ kind, issueId }) => `${kind} ${issueId}`)

const clear = async (meta: MetaStore) => {
  const triggers = await meta.alertRules.issueTriggersDue(100, nowMs)
  await meta.alertRules.saveEvaluation({ doneIds: triggers.map(({ id }) => id) })
}

/** Cases of the outbox for issue rules, for every meta store. */
export function triggerCases(fresh: () => Promise<MetaStore>): void {
  describe('triggers of issue rules', () => {
    test('are written in the commit, only where an issue rule is switched on', async () => {
      const meta = await fresh()
      await commit(meta, { events: [effect()] })
      const { id } = await meta.alertRules.createAlertRule({ ...rule, active: false })
      await commit(meta, { events: [effect({ eventId: 'b', hashes: [hash(2)] })] })
      expect(await triggersOf(meta)).toEqual([])
      await meta.alertRules.updateAlertRule(id, { active: true }, 'ann')
      await commit(meta, {
        events: [effect({ eventId: 'c', hashes: [hash(3)], environment: 'prod', release: 'web@1' })],
      })
      expect(await meta.alertRules.issueTriggersDue(1, nowMs)).toMatchObject([
        {
          organizationId: 1,
          projectId: 1,
          issueId: 3,
          kind: 'new',
          eventId: 'c',
          environment: 'prod',
          release: 'web@1',
          atMs: nowMs,
          untilMs: 0,
        },
      ])
      expect(await triggersOf(meta)).toEqual(['new 3', 'first_of_release 3'])
    })

    test('name the first use of a release, also if a build created it, and not the second', async () => {
      const meta = await fresh()
      await meta.alertRules.createAlertRule(rule)
      await meta.releases.makeRelease({ organizationId: 1, projectIds: [1], version: 'web@2', change: {} }, nowMs)
      await commit(meta, { events: [effect({ release: 'web@2' }), effect({ eventId: 'b', release: 'web@2' })] })
      expect(await triggersOf(meta)).toEqual(['new 1', 'first_of_release 1'])
      await clear(meta)
      await commit(meta, { events: [effect({ eventId: 'c', release: 'web@2' })] })
      expect(await triggersOf(meta)).toEqual([])
    })

    test('name the use of a release by a session, which has no issue', async () => {
      const meta = await fresh()
      await meta.alertRules.createAlertRule(rule)
      const use = { projectId: 1, release: 'web@3', environment: 'prod', firstMs: nowMs, lastMs: nowMs + 1 }
      await commit(meta, { releases: [use] })
      expect(await triggersOf(meta)).toEqual(['first_of_release null'])
    })

    test('tell performance issues, regressions and raised levels apart', async () => {
      const meta = await fresh()
      await meta.alertRules.createAlertRule(rule)
      await commit(meta, { events: [effect({ kind: 'n_plus_one' as never })] })
      await commit(meta, { events: [effect({ eventId: 'b', hashes: [hash(2)], level: 'warning' })] })
      await meta.issues.updateIssue(2, { status: 'resolved' }, 'ann', nowMs)
      await clear(meta)
      const later = { eventId: 'c', hashes: [hash(2)], timestampMs: nowMs + 9 }
      await commit(meta, { events: [effect({ ...later, level: 'warning' })] }, nowMs)
      expect(await triggersOf(meta)).toEqual(['regression 2'])
      await commit(meta, { events: [effect({ ...later, eventId: 'd', level: 'error' })] }, nowMs)
      await commit(meta, { events: [effect({ ...later, eventId: 'e', level: 'info' })] }, nowMs)
      expect(await triggersOf(meta)).toEqual(['regression 2', 'priority 2'])
    })

    test('name a priority that a person raised, not one that was lowered', async () => {
      const meta = await fresh()
      await commit(meta, { events: [effect({ level: 'warning' })] })
      await meta.issues.updateIssue(1, { priority: 'high' }, 'ann', nowMs)
      expect(await triggersOf(meta)).toEqual([])
      await meta.alertRules.createAlertRule(rule)
      for (const priority of ['low', 'medium', 'medium', 'low', 'high'] as const)
        await meta.issues.updateIssue(1, { priority }, 'ann', nowMs)
      expect(await triggersOf(meta)).toEqual(['priority 1', 'priority 1'])
    })

    test('name new feedback once, and its issue when that is found', async () => {
      const meta = await fresh()
      await meta.alertRules.createAlertRule(rule)
      const of = 'f'.repeat(32)
      await commit(meta, { events: [effect()], feedback: [feedback(of), feedback(of)] })
      await commit(meta, { feedback: [feedback(of)] })
      expect(await triggersOf(meta)).toEqual(['new 1', 'feedback null'])
      expect(await meta.alertRules.issueOfFeedback(1, of)).toBeNull()
      const [row] = await meta.feedback.listFeedback({ projectIds: [1], max: 1 })
      await meta.feedback.linkFeedback(row?.id ?? 0, { issueId: 1 })
      expect(await meta.alertRules.issueOfFeedback(1, of)).toBe(1)
      expect(await meta.alertRules.issueOfFeedback(2, of)).toBeNull()
    })

    test('wait, and go with the evaluation that ends them', async () => {
      const meta = await fresh()
      await meta.alertRules.createAlertRule(rule)
      await commit(meta, { events: [effect(), effect({ eventId: 'b', hashes: [hash(2)] })] })
      const [first, second] = await meta.alertRules.issueTriggersDue(9, nowMs)
      const postponed = [{ id: first?.id ?? 0, untilMs: nowMs + 5 }]
      await meta.alertRules.saveEvaluation({ postponed, doneIds: [second?.id ?? 0] })
      expect(await triggersOf(meta)).toEqual([])
      expect(await meta.alertRules.issueTriggersDue(9, nowMs + 5)).toMatchObject([
        { id: first?.id, untilMs: nowMs + 5 },
      ])
    })
  })
}
