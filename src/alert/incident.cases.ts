import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { testClock } from '../base/clock.ts'
import { silent } from '../base/observe.ts'
import type { NewFiring } from '../store/meta/alerts/firing.ts'
import type { AlertDefinition } from '../store/meta/alerts/rules.ts'
import { nowMs, openTestMeta, withProject } from '../store/meta/fixture.cases.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import { createAlerts } from './alert.ts'
import type { AlertDeps } from './deps.ts'

const definition: AlertDefinition = {
  projectIds: [],
  environment: null,
  ownerId: null,
  issue: { when: [{ type: 'new' }], match: 'any', filter: '', unless: { noise: false, skew: false, quietHours: null } },
  metric: null,
  actions: [{ type: 'channel', channel: '1' }],
  intervalMinutes: 30,
  resolveMessage: true,
  escalation: [],
  unevaluable: [],
  original: null,
}

type Post = { delivery: number; text: string }

/** A real store with a chat as channel 1, and senders that record what they get. */
export async function incidentRig(more: Partial<AlertDefinition> = {}, deps: Partial<AlertDeps> = {}) {
  const clock = testClock(nowMs)
  const folder = mkdtempSync(join(tmpdir(), 'mishap-incident-'))
  const stored = await withProject(await openTestMeta(join(folder, 'meta.sqlite'), { clock }))
  onTestFinished(async () => {
    await stored.close()
    rmSync(folder, { recursive: true, force: true })
  })
  // People are rows of the library that signs them in.
  const people = async (ids: string[]) => ids.map((id) => ({ id, name: id, email: `${id}@x.test`, language: null }))
  const meta: MetaStore = { ...stored, people: { ...stored.people, people: people as never } }
  await meta.alerts.createChannel({
    organizationId: 1,
    projectId: null,
    kind: 'webhook',
    name: 'Hook',
    sealedTarget: 'https://hook.test/x',
    sealedSecret: '',
    subscription: 'rules',
  })
  const rule = await meta.alertRules.createAlertRule({
    organizationId: 1,
    userId: 'ann',
    max: 10,
    name: 'Checkout errors',
    active: true,
    mutedUntilMs: null,
    definition: { ...definition, ...more },
  })
  const posts: Post[] = []
  const mails: { to: string; subject: string; text: string; messageId: string; unsubscribe?: string }[] = []
  const refuses: { error: Error | undefined } = { error: undefined }
  const all: AlertDeps = {
    clock,
    observe: silent,
    meta,
    url: 'https://m.test',
    events: { countsOf: async () => [] },
    authorEmails: async () => ['bob@x.test', 'stranger@x.test'],
    facts: async (message) => ({ message, note: '' }),
    open: (sealed) => sealed,
    seal: (text) => text,
    smtp: async () => ({ host: 'x', port: 1, security: 'none', user: '', password: '', from: 'm@x.test' }),
    mailer: {
      send: async (_settings, mail) => {
        mails.push(mail)
        return '250 queued'
      },
      close() {},
    },
    outgoing: {
      send: async ({ url, body = '', headers = {} }) => {
        if (refuses.error) throw refuses.error
        posts.push({ delivery: Number(headers['x-mishap-delivery']), text: String(body) })
        // Opsgenie takes calls for later.
        const status = url.includes('opsgenie') ? 202 : 200
        return { status, headers: { 'content-type': 'text/plain' }, body: Buffer.from('ok'), url, address: '' }
      },
    },
    ...deps,
  }
  const fire = (change: Partial<NewFiring> = {}) =>
    meta.alertRules.saveEvaluation({
      firings: [
        {
          organizationId: 1,
          ruleId: rule.id,
          key: `${clock.now()} ${change.change} ${JSON.stringify(change.cause)}`,
          change: 'start',
          level: 'critical',
          atMs: clock.now(),
          value: null,
          threshold: null,
          sentence: '',
          cause: { projectIds: [1], issueIds: [1], release: '', deployId: null },
          trigger: 'new',
          eventId: 'e',
          sinceMs: clock.now(),
          ...change,
        },
      ],
    })
  return { clock, meta, posts, mails, refuses, fire, rule, deps: all, alerts: createAlerts(all) }
}

export const logOf = (meta: MetaStore) => meta.alerts.listDeliveries({ organizationId: 1 }, 100)
