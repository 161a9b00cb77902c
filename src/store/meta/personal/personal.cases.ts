import { describe, expect, test } from 'vitest'
import { defaultSettings, type PersonalSettings } from '../../../domain/alerts/personal.ts'
import { aDelivery, decided } from '../alerts/incidents.cases.ts'
import { codeOf, nowMs } from '../fixture.cases.ts'
import type { MetaStore } from '../meta-store.ts'

const wishes: PersonalSettings = {
  ...defaultSettings,
  kinds: { ...defaultSettings.kinds, followed: [] },
  digest: 'daily',
  report: true,
  projects: { 1: 'mine' },
  quietHours: { from: '22:00', to: '07:00' },
  timeZone: 'Europe/Berlin',
}
const weekMs = 7 * 86_400_000

/** Cases of what people want to hear, for every meta store. */
export function personalCases(fresh: () => Promise<MetaStore>): void {
  describe('personal settings', () => {
    test('are the defaults, then what was stored, for one organization and one person', async () => {
      const { personal, organizations } = await fresh()
      await organizations.createOrganization({ slug: 'other', name: 'Other', ownerUserId: 'ann' })
      expect(await personal.personalSettingsOf(1, 'ann')).toEqual({ settings: defaultSettings, rev: 0 })
      expect(await personal.setPersonalSettings(1, 'ann', wishes, 0)).toBe(1)
      expect(await personal.personalSettingsOf(1, 'ann')).toEqual({ settings: wishes, rev: 1 })
      expect(await personal.personalSettingsIn(1)).toEqual(new Map([['ann', wishes]]))
      expect(await personal.personalSettingsIn(2)).toEqual(new Map())
      for (const [organizationId, userId] of [
        [1, 'bob'],
        [2, 'ann'],
      ] as const)
        expect(await personal.personalSettingsOf(organizationId, userId)).toEqual({ settings: defaultSettings, rev: 0 })
      expect(await codeOf(() => personal.setPersonalSettings(1, 'ann', defaultSettings, 0))).toBe('CONFLICT')
      expect(await personal.setPersonalSettings(1, 'ann', defaultSettings)).toBe(2)
    })

    test('start the mails that collect, move them and end them', async () => {
      const { personal } = await fresh()
      await personal.setPersonalSettings(1, 'ann', wishes)
      expect(await personal.personalMailsDue(nowMs, 10)).toEqual([])
      const due = await personal.personalMailsDue(nowMs + weekMs, 10)
      expect(due.map(({ kind }) => kind)).toEqual(['digest', 'report'])
      expect(due[0]).toMatchObject({ organizationId: 1, userId: 'ann', coveredMs: nowMs, attempts: 0 })
      expect(due.every(({ nextMs }) => nextMs > nowMs && nextMs <= nowMs + weekMs)).toBe(true)
      await personal.setPersonalSettings(1, 'ann', { ...wishes, report: false })
      expect(await personal.personalMailsDue(nowMs + weekMs, 10)).toMatchObject([{ kind: 'digest' }])
      await personal.setPersonalSettings(1, 'ann', defaultSettings)
      expect(await personal.personalMailsDue(nowMs + weekMs, 10)).toEqual([])
    })

    test('a mail is due again after a failure, and once more at its next time', async () => {
      const { personal } = await fresh()
      await personal.setPersonalSettings(1, 'ann', { ...wishes, report: false })
      const [mail] = await personal.personalMailsDue(nowMs + weekMs, 10)
      if (!mail) throw new Error('no mail is due')
      await personal.endPersonalMail(mail, { retryMs: mail.nextMs + 60_000 })
      expect(await personal.personalMailsDue(mail.nextMs, 10)).toEqual([])
      expect(await personal.personalMailsDue(mail.nextMs + 60_000, 10)).toEqual([{ ...mail, attempts: 1 }])
      const nextMs = mail.nextMs + 86_400_000
      await personal.endPersonalMail(mail, { nextMs, coveredMs: mail.nextMs })
      expect(await personal.personalMailsDue(nextMs - 1, 10)).toEqual([])
      expect(await personal.personalMailsDue(nextMs, 10)).toEqual([{ ...mail, nextMs, coveredMs: mail.nextMs }])
      // The end of a mail whose time the person has changed since is ignored.
      await personal.endPersonalMail(mail, { nextMs: nextMs + 1, coveredMs: 0 })
      const [now] = await personal.personalMailsDue(nextMs, 10)
      expect(now?.coveredMs).toBe(mail.nextMs)
      await personal.dropPersonalMail(mail)
      expect(await personal.personalMailsDue(nextMs, 10)).toEqual([])
    })

    test('messages of a report: the deliveries of one message have the same name, others have not', async () => {
      const meta = await fresh()
      const items = (issueId: number) => [{ issueId, kind: 'new' as const, eventId: 'e' }]
      const send = async (atMs: number, changes: Parameters<typeof aDelivery>[0][]) => {
        const deliveries = changes.map((change) => ({ delivery: aDelivery(change), incident: null }))
        await meta.incidents.storeDecision(decided({ deliveries }), atMs)
      }
      await send(nowMs, [
        { recipient: 'ann@x.test', items: items(1) },
        { recipient: 'push:4', items: items(1) },
        { userId: 'bob', recipient: 'bob@x.test', items: items(1) },
        { items: items(2) },
        { change: 'end', items: items(1) },
        { kind: 'test' },
      ])
      await send(nowMs + 1, [{ items: items(1) }])
      for (let id = 1; id <= 7; id++) await meta.alerts.recordDelivery(id, { status: 'sent', answer: '' }, nowMs + id)
      await send(nowMs + 2, [{ items: items(1) }])
      const sent = await meta.personal.messagesSent(1, { fromMs: nowMs, toMs: nowMs + 9 }, 100)
      expect(sent.map(({ sentMs }) => sentMs - nowMs)).toEqual([1, 2, 3, 4, 5, 7])
      const names = [...new Set(sent.map(({ message }) => message))]
      expect(sent.map(({ message }) => names.indexOf(message))).toEqual([0, 0, 0, 1, 2, 3])
    })
  })
}
