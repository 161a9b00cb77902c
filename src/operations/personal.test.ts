import { describe, expect, test } from 'vitest'
import { unsubscribeLink, whereToReach } from '../alert/personal.ts'
import { createSeal } from '../auth/seal.ts'
import { defaultSettings, type PersonalKind, type SummaryKind } from '../domain/alerts/personal.ts'
import { changePersonalSettings, unsubscribe } from './personal.ts'
import { endOf, operationRig } from './rig.cases.ts'

const fresh = operationRig()
const url = 'https://m.test/errors'
const tokenOf = (link: string) => new URL(link).searchParams.get('token') ?? ''

describe('a change of the settings', () => {
  test('keeps what it does not name, and stores projects by id', async () => {
    const deps = await fresh()
    const first = await changePersonalSettings(deps, 1, 'ann', {
      kinds: { followed: [], mention: ['email', 'email'] },
      projects: { web: 'mine' },
      timeZone: 'Europe/Berlin',
    })
    expect(first).toEqual({
      settings: {
        ...defaultSettings,
        kinds: { ...defaultSettings.kinds, followed: [] },
        projects: { 1: 'mine' },
        timeZone: 'Europe/Berlin',
      },
      rev: 1,
    })
    const { settings } = await changePersonalSettings(deps, 1, 'ann', { digest: 'weekly' })
    expect(settings).toEqual({ ...first.settings, digest: 'weekly' })
  })

  test('stores the places of a project once each', async () => {
    const deps = await fresh()
    const own = { kinds: { alert: ['push' as const, 'push' as const], mention: [] } }
    const { settings } = await changePersonalSettings(deps, 1, 'ann', { projects: { web: own } })
    expect(settings.projects).toEqual({ 1: { kinds: { alert: ['push'], mention: [] } } })
  })

  test.each([
    [{ timeZone: 'Mars/Olympus' }, ['timeZone']],
    [{ timeZone: '+02:00' }, ['timeZone']],
    [{ projects: { nowhere: 'none' as const } }, ['projects']],
    [{ quietHours: { from: '10:00', to: '10:00' } }, ['quietHours']],
  ])('%j is refused, and nothing is stored', async (change, fields) => {
    const deps = await fresh()
    const work = () => changePersonalSettings(deps, 1, 'ann', { ...change, report: true })
    expect(await endOf(work)).toEqual(['VALIDATION', fields])
    expect((await deps.meta.personal.personalSettingsOf(1, 'ann')).rev).toBe(0)
  })
})

describe('one-click unsubscribe', () => {
  test.each<PersonalKind | SummaryKind>(['mention', 'alert', 'digest', 'report'])('ends %s only', async (kind) => {
    const deps = await fresh()
    await changePersonalSettings(deps, 1, 'ann', { digest: 'daily', report: true })
    const link = unsubscribeLink({ ...deps, url }, { organizationId: 1, userId: 'ann', kind })
    expect(link).toMatch(/^https:\/\/m\.test\/errors\/api\/0\/unsubscribe\/\?token=[\w.-]+$/)
    expect(await unsubscribe(deps, tokenOf(link))).toMatchObject({ organization: { slug: 'acme' } })
    const { settings } = await deps.meta.personal.personalSettingsOf(1, 'ann')
    expect({
      mention: settings.kinds.mention.length,
      alert: settings.kinds.alert.length,
      digest: settings.digest === 'daily' ? 1 : 0,
      report: settings.report ? 1 : 0,
    }).toEqual({ mention: 1, alert: 1, digest: 1, report: 1, [kind]: 0 })
    // Mail servers repeat the call.
    expect(await unsubscribe(deps, tokenOf(link))).toBeDefined()
  })

  test('a forged, foreign or changed token changes nothing', async () => {
    const deps = await fresh()
    const ours = (...parts: unknown[]) => deps.seal.seal(JSON.stringify(parts))
    const right = tokenOf(unsubscribeLink({ ...deps, url }, { organizationId: 1, userId: 'ann', kind: 'mention' }))
    const foreign = unsubscribeLink(
      { seal: createSeal('y'.repeat(40)), url },
      { organizationId: 1, userId: 'ann', kind: 'mention' },
    )
    for (const token of [
      '',
      'v1.AAAA',
      JSON.stringify(['unsubscribe', 1, 'ann', 'mention']),
      tokenOf(foreign),
      `${right.slice(0, 20)}${right[20] === 'A' ? 'B' : 'A'}${right.slice(21)}`,
      deps.seal.seal('https://hooks.test/secret'),
      ours('acknowledge', 1, 'ann', 'mention'),
      ours('unsubscribe', 1, 'ann', 'everything'),
      ours('unsubscribe', 1, 'ann', '__proto__'),
      ours('unsubscribe', '1', 'ann', 'mention'),
      ours('unsubscribe', 1, 'ann', 'mention', 'more'),
      // Neither is a member.
      ours('unsubscribe', 1, 'eve', 'mention'),
      ours('unsubscribe', 2, 'ann', 'mention'),
      'x'.repeat(100_000),
    ])
      expect([token.slice(0, 40), await unsubscribe(deps, token)]).toEqual([token.slice(0, 40), undefined])
    expect((await deps.meta.personal.personalSettingsOf(1, 'ann')).rev).toBe(0)
    expect((await deps.meta.personal.personalSettingsOf(1, 'eve')).rev).toBe(0)
  })
})

describe('where to reach a person', () => {
  const message = { organizationId: 1, projectId: 1, kind: 'alert', isCritical: false } as const
  const people = (id: string) => ({ id, name: id, email: `${id}@x.test` })
  const reach = (deps: Awaited<ReturnType<typeof fresh>>, userId: string) =>
    whereToReach(
      { ...deps, url, meta: { ...deps.meta, people: { personById: async (id) => people(id) } } },
      userId,
      message,
    )

  test('a member hears by mail, with a link that ends this kind', async () => {
    const deps = await fresh()
    const found = await reach(deps, 'ann')
    expect(found).toMatchObject({ person: people('ann'), places: ['email'], notBeforeMs: deps.clock.now() })
    await unsubscribe(deps, tokenOf(found?.unsubscribe ?? ''))
    expect(await reach(deps, 'ann')).toBeUndefined()
  })

  test('nobody outside of the organization hears', async () => {
    expect(await reach(await fresh(), 'eve')).toBeUndefined()
  })
})
