import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { testClock } from '../base/clock.ts'
import { defaultSettings, type PersonalSettings } from '../domain/alerts/personal.ts'
import { aDelivery, decided } from '../store/meta/alerts/incidents.cases.ts'
import { commit, effect, hash, nowMs, openTestMeta, withProject } from '../store/meta/fixture.cases.ts'
import { runPersonalMails } from './personal-mails.ts'

const dayMs = 86_400_000
const folder = mkdtempSync(join(tmpdir(), 'mishap-mails-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const state = { stores: 0 }

type Sent = { to: string; subject: string; text: string; id?: string; unsubscribe?: string }

/** A store on disk in which Ann wants a daily digest. `failures`: answers of the mail server, '' for none configured. */
async function rig(change: Partial<PersonalSettings> = {}, failures: (string | undefined)[] = []) {
  const clock = testClock(nowMs)
  const file = join(folder, `${state.stores++}.sqlite`)
  const open = async () => {
    const meta = await openTestMeta(file, { clock })
    Object.assign(meta.people, { personById: async (id: string) => ({ id, name: id, email: `${id}@x.test` }) })
    return meta
  }
  const meta = await withProject(await open())
  await meta.personal.setPersonalSettings(1, 'ann', { ...defaultSettings, digest: 'daily', ...change })
  const sent: Sent[] = []
  const depsOf = (store: typeof meta) => ({
    clock,
    meta: store,
    url: 'https://m.test',
    seal: { seal: (text: string) => Buffer.from(text).toString('base64url') },
    events: {
      groups: async () => [{ projectId: 1, groupHash: hash(1), events: 40, users: 3, firstMs: 0, lastMs: 0 }],
    },
    alerts: {
      mail: async (mail: Sent) => {
        const failure = failures.shift()
        if (failure === undefined) sent.push(mail)
        return failure
      },
    },
    projectsFor: async () => store.projects.projectsOf(1),
  })
  const current = { meta }
  return {
    clock,
    sent,
    meta: () => current.meta,
    run: () => runPersonalMails(depsOf(current.meta)),
    restart: async () => {
      await current.meta.close()
      current.meta = await open()
    },
    end: () => current.meta.close(),
  }
}

describe('a digest', () => {
  test('names what is new and how often it happened, once a day, also after a restart', async () => {
    const { clock, sent, meta, run, restart, end } = await rig()
    await commit(meta(), { events: [effect({ timestampMs: nowMs + 5, receivedMs: nowMs + 5 })] })
    expect(await run()).toEqual({ mails: 0 })
    clock.advance(dayMs)
    expect(await run()).toEqual({ mails: 1 })
    expect(sent[0]).toMatchObject({ to: 'ann@x.test', subject: 'Digest of Acme: 1 new, 0 regressed, 0 resolved' })
    expect(sent[0]?.text).toContain(
      'New WEB-1: TypeError: x is not a function\n  in app/page\n  40 events in this time',
    )
    expect(sent[0]?.text).toContain('https://m.test/o/acme/issues/1')
    expect(sent[0]?.id).toMatch(/^digest-1-ann-\d+$/)
    expect(sent[0]?.unsubscribe).toContain(Buffer.from('["unsubscribe",1,"ann","digest"]').toString('base64url'))
    await restart()
    expect(await run()).toEqual({ mails: 0 })
    // Three days down: one mail about the whole time.
    clock.advance(3 * dayMs)
    await restart()
    expect([await run(), await run(), sent.length]).toEqual([{ mails: 1 }, { mails: 0 }, 2])
    expect(sent[1]?.subject).toBe('Digest of Acme: 0 new, 0 regressed, 0 resolved')
    await end()
  })

  test('names resolved and regressed issues, and leaves silenced projects out', async () => {
    const { clock, sent, meta, run, end } = await rig()
    await commit(meta(), { events: [effect()] })
    await meta().issues.updateIssue(1, { status: 'resolved' }, 'ann', nowMs + 10)
    clock.advance(dayMs)
    await run()
    expect(sent[0]?.subject).toBe('Digest of Acme: 1 new, 0 regressed, 1 resolved')
    await meta().personal.setPersonalSettings(1, 'ann', {
      ...defaultSettings,
      digest: 'daily',
      projects: { 1: 'none' },
    })
    clock.advance(dayMs)
    expect([await run(), sent.length]).toEqual([{ mails: 0 }, 1])
    await end()
  })

  test('is tried again with the same id, and waits for the end of quiet hours', async () => {
    const { clock, sent, meta, run, end } = await rig({}, ['The server is away.'])
    await commit(meta(), { events: [effect()] })
    clock.advance(dayMs)
    expect(await run()).toEqual({ mails: 0 })
    expect(await run()).toEqual({ mails: 0 })
    clock.advance(600_000)
    expect([await run(), sent.length]).toEqual([{ mails: 1 }, 1])
    await end()
    const quiet = await rig({ quietHours: { from: '00:00', to: '23:59' } })
    await commit(quiet.meta(), { events: [effect()] })
    quiet.clock.advance(dayMs)
    expect([await quiet.run(), quiet.sent.length]).toEqual([{ mails: 0 }, 0])
    await quiet.end()
  })

  test('of a person who has left, or without a mail server, is not kept for later', async () => {
    const { clock, meta, run, end } = await rig({}, [''])
    await commit(meta(), { events: [effect()] })
    clock.advance(dayMs)
    expect([await run(), await run()]).toEqual([{ mails: 0 }, { mails: 0 }])
    await meta().personal.setPersonalSettings(1, 'eve', { ...defaultSettings, digest: 'daily' })
    clock.advance(2 * dayMs)
    await run()
    expect((await meta().personal.personalMailsDue(clock.now() + 9 * dayMs, 9)).map(({ userId }) => userId)).toEqual([
      'ann',
    ])
    await end()
  })
})

describe('a weekly report', () => {
  test('counts what was sent and acted on, by rule, and is not sent when nothing was', async () => {
    const { clock, sent, meta, run, end } = await rig({ digest: 'off', report: true })
    clock.advance(7 * dayMs)
    expect([await run(), sent.length]).toEqual([{ mails: 0 }, 0])
    const channel = await meta().alerts.createChannel({
      organizationId: 1,
      projectId: null,
      kind: 'slack',
      name: 'Chat',
      sealedTarget: 't',
      sealedSecret: '',
      subscription: 'issues',
    })
    await commit(meta(), { events: [effect({ receivedMs: clock.now(), timestampMs: clock.now() })] })
    const delivery = aDelivery({
      channelId: channel.id,
      userId: null,
      recipient: '',
      kind: 'issue',
      ruleId: null,
      firingIds: [],
      items: [{ issueId: 1, kind: 'new', eventId: 'e' }],
      issueIds: [1],
      nextMs: clock.now(),
    })
    // Two messages, each to two recipients.
    const deliveries = ['', 'ann@x.test'].map((recipient) => ({ delivery: { ...delivery, recipient }, incident: null }))
    for (const atMs of [clock.now(), clock.now() + 1])
      await meta().incidents.storeDecision(decided({ deliveries }), atMs)
    for (const { id } of await meta().alerts.deliveriesQueued(clock.now(), 9))
      await meta().alerts.recordDelivery(id, { status: 'sent', answer: '200' }, clock.now())
    await meta().issues.addComment(1, 'ann', 'on it', clock.now() + 1000)
    clock.advance(7 * dayMs)
    expect(await run()).toEqual({ mails: 1 })
    expect(sent[0]?.subject).toBe('Notifications of Acme: 2 of 2 were useful')
    expect(sent[0]?.text).toContain('Sent: 2\nUseful: 2\nIgnored: 0\nNever acknowledged: 0')
    expect(sent[0]?.text).toContain(
      'Built-in notifications\n  2 sent, 2 useful, 0 ignored\n  https://m.test/o/acme/alerts',
    )
    await end()
  })
})
