import { expect, test } from 'vitest'
import { testClock } from '../base/clock.ts'
import { defaultSettings, type PersonalSettings } from '../domain/personal.ts'
import { commit, effect, nowMs, withProject } from '../store/meta/fixture.cases.ts'
import { openSqliteMeta } from '../store/meta/sqlite.ts'
import { runNotices } from './notices.ts'

/** Ann has two notices: she was mentioned in a comment, and follows the issue. */
async function rig(change: Partial<PersonalSettings>) {
  const clock = testClock(nowMs)
  const meta = await withProject(await openSqliteMeta(':memory:', { clock, readers: 0 }))
  Object.assign(meta.people, { personById: async (id: string) => ({ id, name: id, email: `${id}@x.test` }) })
  await commit(meta, { events: [effect()] })
  const { id } = await meta.issues.addComment(1, 'bob', 'look', nowMs)
  await meta.personal.setPersonalSettings(1, 'ann', { ...defaultSettings, ...change })
  const notices = (['mention', 'comment'] as const).map((kind) => ({ userId: 'ann', kind }))
  await meta.issues.addNotices(notices, 1, id, nowMs)
  const mails: { subject: string; unsubscribe?: string; id?: string }[] = []
  const run = () =>
    runNotices({
      clock,
      meta,
      url: 'https://m.test',
      seal: { seal: (text) => Buffer.from(text).toString('base64url') },
      alerts: { mail: async (mail) => void mails.push(mail) },
    })
  return { clock, meta, mails, run, left: () => meta.issues.noticesDue(nowMs + 7 * 86_400_000, 9) }
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
