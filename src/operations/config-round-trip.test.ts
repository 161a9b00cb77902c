import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type AlertAction,
  alertAction,
  alertTrigger,
  type NewAlertRuleBody,
  newAlertRuleBody,
} from '../contract/alerts/alerts.ts'
import { createAlertRule } from './alert-rules.ts'
import { applyConfig, exportConfig, planConfig } from './config-apply.ts'
import { type ConfigRig, configRig } from './config-rig.cases.ts'

const rig = configRig()
const by = { organizationId: 1, userId: 'ann' }

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom(
    'null',
    '~',
    'true',
    '1e3',
    '0x1f',
    '- a',
    '? b',
    ': c',
    '#d',
    '!!js/function x',
    '&a *b',
    '%TAG',
    '---',
    '...',
  ),
  fc.constantFrom(
    "it's",
    '"q"',
    '`=cmd()`',
    '{{x}}',
    '\u202eevil',
    '<b>',
    'a\u2028b',
    '09:00',
    '2026-01-01',
    '<<',
    '__proto__',
    '\ufeffx',
  ),
)
/** A text on one line, as names are. */
const line = hostile.map(
  (text) =>
    text
      .replace(/[\p{Cc}\u2028\u2029]/gu, ' ')
      .toWellFormed()
      .trim() || 'name',
)
const trigger = fc.constantFrom(
  ...[
    ...['new', 'regression', 'escalation', 'priority', 'first_of_release', 'performance', 'feedback'].map((type) => ({
      type,
    })),
    { type: 'events', count: 3, windowMinutes: 60 },
    { type: 'users', count: 1, windowMinutes: 1440 },
    { type: 'rate', percent: 12.5, windowMinutes: 5, before: 'week' },
  ].map((value) => alertTrigger.parse(value)),
)
const issue = fc.record({
  when: fc.uniqueArray(trigger, { minLength: 1, maxLength: 10, selector: (value) => value.type }),
  match: fc.constantFrom('any' as const, 'all' as const),
  filter: fc.constantFrom('', 'level:error', 'is:unassigned message:"*a: b*"', 'release:latest OR !environment:"# x"'),
  unless: fc.record({
    noise: fc.boolean(),
    skew: fc.boolean(),
    quietHours: fc.constantFrom(null, { from: '22:00', to: '06:30', timeZone: 'Europe/Berlin' }),
  }),
})
const thresholds = [
  { type: 'fixed', direction: 'above', warning: 1e-7, critical: 1e15, resolve: null },
  { type: 'fixed', direction: 'below', warning: null, critical: -0.5, resolve: 3 },
  ...(['hour', 'day', 'week'] as const).map((before) => ({
    type: 'change',
    direction: 'above',
    warning: 5,
    critical: 50,
    resolve: 2,
    before,
  })),
  { type: 'weekly', direction: 'below', warning: null, critical: 40, resolve: null },
]
const metric = fc.record({
  plan: fc.constantFrom(
    ...['errors', 'logs', 'metrics', 'spans', 'errors by groups']
      .map((words) => ({ words, dataset: words.split(' ')[0] }))
      .map(({ words, dataset }) => ({
        dataset,
        groupBy: words === dataset ? [] : ['environment', 'release'],
        query: '',
        series: [
          { name: 'a', aggregate: 'count()' },
          { name: 'b', aggregate: 'count()', query: dataset === 'logs' ? 'severity:error' : '' },
        ],
        formulas: [{ name: 'f', expression: 'a / (a + b) * 100' }],
      })),
  ),
  of: fc.constantFrom('a', 'b', 'f'),
  windowMinutes: fc.constantFrom(1, 60, 1440),
  threshold: fc.constantFrom(...thresholds),
  minimum: fc.nat(1000),
  missing: fc.constantFrom('fire', 'resolve', 'keep'),
})
const action = ({ channel, tracker, schedule }: ConfigRig): fc.Arbitrary<AlertAction> =>
  fc.oneof(
    fc.constantFrom(
      ...[
        { type: 'channel', channel },
        { type: 'person', person: 'bob' },
        ...['assignee', 'owners', 'authors', 'members'].map((type) => ({ type })),
        { type: 'on_call', schedule },
      ].map((value) => alertAction.parse(value)),
    ),
    fc.constant({ type: 'tracker' as const, tracker, options: {} }),
  )
const ruleOf = (own: ConfigRig) =>
  fc.record({
    body: fc
      .record({
        name: line,
        projects: fc.constantFrom<string[]>([], ['web']),
        environment: fc.oneof(fc.constant(null), line),
        owner: fc.constantFrom(null, 'user:ann'),
        isActive: fc.boolean(),
        of: fc.oneof(fc.record({ issue }), fc.record({ metric })),
        actions: fc.array(action(own), { maxLength: 6 }),
        intervalMinutes: fc.integer({ min: 5, max: 43_200 }),
        resolveMessage: fc.boolean(),
        escalation: fc.constantFrom([], [{ afterMinutes: 15, schedule: own.schedule }]),
      })
      .map(({ of, actions, ...rest }): NewAlertRuleBody => {
        // A metric rule creates no issue in a tracker.
        const own = actions.filter(({ type }) => type !== 'tracker' || 'issue' in of)
        return newAlertRuleBody.parse({ ...rest, ...of, actions: own })
      }),
    kept: fc.oneof(
      fc.constant({ unevaluable: [] as string[], original: null as unknown }),
      fc.record({ unevaluable: fc.array(hostile, { minLength: 1, maxLength: 3 }), original: fc.jsonValue() }),
    ),
  })

describe('round trip', () => {
  test('any rules, exported, applied elsewhere and exported again, are the same files and the same rules', async () => {
    const seen = new Set<string>()
    const [source, target] = [await rig(), await rig(4)]
    /** Opening a store takes longer than a round trip, so each begins with the same two. */
    const clear = async ({ deps: own }: ConfigRig) => {
      const deleted = await own.meta.alertRules.listAlertRules(1)
      await own.meta.alertRules.changeAlertRules({ ...by, max: 200, created: [], changed: [], deleted })
    }
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(ruleOf(source), { maxLength: 12, selector: ({ body }) => body.name }),
        async (all) => {
          await clear(source)
          await clear(target)
          for (const { body, kept } of all) {
            await createAlertRule(source.deps, by, body, kept)
            for (const { type } of [...(body.issue?.when ?? []), ...body.actions]) seen.add(type)
            if (body.metric) seen.add(`${body.metric.plan.dataset} ${body.metric.of} ${body.metric.threshold.type}`)
            if (body.metric?.plan.groupBy.length) seen.add('metric by groups')
          }
          const first = await exportConfig(source.deps, 'acme')
          expect(first.notes).toEqual([])
          expect((await planConfig(source.deps, 'acme', first.files, true)).changes).toEqual([])
          await applyConfig(target.deps, 'acme', first.files, false)
          expect(await exportConfig(target.deps, 'acme')).toEqual(first)
          expect((await planConfig(target.deps, 'acme', first.files, true)).changes).toEqual([])
          const conditions = async ({ deps: own }: ConfigRig) =>
            (await own.meta.alertRules.listAlertRules(1)).map(({ name, active, definition }) => {
              const { actions, escalation, ...rest } = definition
              return { name, active, rest, actions: actions.map(({ type }) => type), steps: escalation.length }
            })
          expect(await conditions(target)).toEqual(await conditions(source))
        },
      ),
      { numRuns: 25, seed: 22 },
    )
    // Every kind was there.
    const words = [...seen].filter((name) => !name.includes(' ')).sort()
    expect(words.join(' ')).toBe(
      'assignee authors channel escalation events feedback first_of_release members new on_call owners performance ' +
        'person priority rate regression tracker users',
    )
    for (const part of ['errors', 'logs', 'metrics', 'spans', ' f ', 'fixed', 'change', 'weekly', 'by groups'])
      expect([...seen].some((name) => name.includes(part) && name.includes(' '))).toBe(true)
  }, 60_000)
})
