import { expect, test } from 'vitest'
import type { Message } from '../alert/message/message.ts'
import { testClock } from '../base/clock.ts'
import { defaultSettings, type PersonalSettings } from '../domain/alerts/personal.ts'
import { commit, effect, nowMs, withProject } from '../store/meta/fixture.cases.ts'
import { openSqliteMeta } from '../store/meta/sqlite.ts'
import { runNotices } from './notices.ts'

/** Ann has two notices: she was mentioned in a comment, and follows the issue. */
async function rig(change: Partial<PersonalSettings>, { browsers = 0, mailFails = false } = {}) {
  const clock = testClock(nowMs)
  const meta = await withProject(await openSqliteMeta(':memory:', { clock, readers: 0 }))
  Object.assign(meta.people, { personById: async (id: string) => ({ id, name: id, email: `${id}@x.test` }) })
  await commit(meta, { events: [effect()] })
  const { id } = await meta.issues.addComment(1, 'bob', 'look', nowMs)
  await meta.personal.setPersonalSettings(1, 'ann', { ...defaultSettings, ...change })
  const notices = (['mention', 'comment'] as const).map((kind) => ({ userId: 'ann', kind }))
  await meta.issues.addNotices(notices, 1, id, nowMs)
  for (let at = 1; at <= browsers; at++) {
    const row = { userId: 'ann', endpointHash: String(at), sealed: 'x', browser: `Browser ${at}`, createdMs: nowMs }
    await meta.pushBrowsers.addBrowser(row)
  }
  const pushed: { recipient: string; message: Message }[] = []
  const mails: { subject: string; unsubscribe?: string; id?: string }[] = []
  const run = () =>
    runNotices({
      clock,
      meta,
      url: 'https://m.test',
      seal: { seal: (text) => Buffer.from(text).toString('base64url') },
      alerts: {
        mail: async (mail) => (mailFails ? 'The server is down.' : void mails.push(mail)),
        push: async (recipient, message) => void pushed.push({ recipient, message }),
      },
    })
  return { clock, meta, mails, pushed, run, left: () => meta.issues.noticesDue(nowMs + 7 * 86_400_000, 9) }
}

test.each<[string, Partial<PersonalSettings>, string[]]>([
  ['the defaults', {}, ['bob mentioned you in a comment on', 'bob commented on']],
  ['no mentions', { kinds: { ...defaultSettings.kinds, mention: [] } }, ['bob commented on']],
  ['only what names her in this project', { projects: { 1: 'mine' } }, ['bob mentioned you in a comment on']],
  ['nothing of this project', { projects: { 1: 'none' } }, []],
  ['another project', { projects: { 2: 'none' } }, ['bob mentioned you in a comment on', 'bob commented on']],
])('with %s', async (_name, change, sent) => {
  const { mails, run, left } = await rig(change)
  await run()
  expect(mails.map(({ subject }) => subject.replace(/ WEB-1.*/, ''))).toEqual(sent)
  expect(await left()).toEqual([])
})

test('each mail names its notice, and a link that ends its kind', async () => {
  const { mails, run } = await rig({})
  await run()
  expect(mails.map(({ id }) => id)).toEqual(['notice-1', 'notice-2'])
  expect(
    mails.map(({ unsubscribe = '' }) => Buffer.from(unsubscribe.replace(/.*token=/, ''), 'base64url').toString()),
  ).toEqual(['["unsubscribe",1,"ann","mention"]', '["unsubscribe",1,"ann","followed"]'])
})

test('in quiet hours they wait until the end, and that counts as no attempt', async () => {
  const quietHours = { from: '00:00', to: '23:59' }
  const { clock, mails, run, left } = await rig({ quietHours, timeZone: 'UTC' })
  await run()
  const waiting = await left()
  expect([mails, waiting.map(({ attempts }) => attempts)]).toEqual([[], [0, 0]])
  clock.advance((waiting[0]?.nextMs ?? 0) - nowMs)
  await run()
  expect([mails.length, await left()]).toEqual([2, []])
})

test('each chosen place gets it once; a mail that fails does not repeat the push messages', async () => {
  const kinds = { ...defaultSettings.kinds, mention: ['email' as const, 'push' as const], followed: ['push' as const] }
  const { clock, meta, mails, pushed, run, left } = await rig({ kinds }, { browsers: 2, mailFails: true })
  expect(await run()).toEqual({ mails: 0, pushed: 4 })
  expect(pushed.map(({ recipient }) => recipient).sort()).toEqual(['push:1', 'push:1', 'push:2', 'push:2'])
  expect(pushed.every(({ message }) => message.links.open === 'https://m.test/o/acme/issues/1')).toBe(true)
  expect((await left()).map(({ place, attempts }) => [place, attempts])).toEqual([['email', 1]])
  clock.advance(60_000)
  await run()
  expect([mails, pushed.length]).toEqual([[], 4])
  // The person takes mail off the list meanwhile: the waiting one is dropped.
  await meta.personal.setPersonalSettings(1, 'ann', { ...defaultSettings, kinds: { ...kinds, mention: ['push'] } })
  clock.advance(3_600_000)
  await run()
  expect([pushed.length, await left()]).toEqual([4, []])
})

test('push messages wait for the end of the quiet hours', async () => {
  const kinds = { ...defaultSettings.kinds, mention: ['push' as const], followed: [] }
  const quietHours = { from: '00:00', to: '23:59' }
  const { clock, pushed, run, left } = await rig({ kinds, quietHours, timeZone: 'UTC' }, { browsers: 1 })
  await run()
  const [waiting] = (await left()).filter(({ nextMs }) => nextMs > nowMs)
  expect([pushed, waiting?.attempts]).toEqual([[], 0])
  clock.advance((waiting?.nextMs ?? 0) - nowMs)
  await run()
  expect([pushed.length, await left()]).toEqual([1, []])
})
