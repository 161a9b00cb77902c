import { beforeAll, describe, expect, test } from 'vitest'
import type { Role } from '../store/meta/meta.ts'
import { appForFile } from './app.cases.ts'
import { hex, seedEvents } from './seed.cases.ts'

// Environments hidden from selection lists, with real stores.

const { made, call, personAs } = appForFile()
const O = '/organizations/acme'
const P = '/projects/acme/web'
const odd = 'a b%c?d'

beforeAll(async () => {
  await made().store([
    ...seedEvents,
    { ...seedEvents[3], event_id: hex(300), environment: odd },
    { ...seedEvents[3], event_id: hex(301), environment: undefined },
  ])
}, 30_000)

const names = async (path: string) => ((await call('GET', path)).json as { name: string }[]).map((item) => item.name)
const hide = (name: string, isHidden: boolean) =>
  call('PUT', `${P}/environments/${encodeURIComponent(name)}/`, { body: { isHidden } })
const hits = async (query: string) => ((await call('GET', `${O}/issues/?${query}`)).json as unknown[]).length

describe('hidden environments', () => {
  test('one is taken out of the lists and back in; what it holds is counted and found', async () => {
    const before = [await hits('environment=staging'), await hits('query=environment%3Astaging'), await hits('')]
    expect(before[0]).toBeGreaterThan(0)
    expect((await names(`${P}/environments/`)).toSorted()).toEqual([odd, 'production', 'staging'])
    const answer = await hide('staging', true)
    expect([answer.status, answer.json]).toEqual([200, { id: 'staging', name: 'staging', isHidden: true }])
    for (const path of [`${P}/environments/`, `${O}/environments/`]) {
      expect((await names(path)).toSorted()).toEqual([odd, 'production'])
      expect(await names(`${path}?visibility=hidden`)).toEqual(['staging'])
      expect(await names(`${path}?visibility=all`)).toEqual([odd, 'production', 'staging'])
      expect((await call('GET', `${path}?visibility=none`)).status).toBe(400)
    }
    expect([await hits('environment=staging'), await hits('query=environment%3Astaging'), await hits('')]).toEqual(
      before,
    )
    await made().store([{ ...seedEvents[3], event_id: hex(302), environment: 'staging' }])
    expect((await call('GET', `${P}/environments/staging/`)).json).toMatchObject({ isHidden: true })
    expect((await hide('staging', false)).json).toMatchObject({ isHidden: false })
    expect((await names(`${P}/environments/`)).toSorted()).toEqual([odd, 'production', 'staging'])
  })

  test('a name of any signs', async () => {
    expect((await hide(odd, true)).json).toEqual({ id: odd, name: odd, isHidden: true })
    expect((await call('GET', `${P}/environments/${encodeURIComponent(odd)}/`)).json).toMatchObject({ isHidden: true })
    expect(await names(`${P}/environments/`)).not.toContain(odd)
    await hide(odd, false)
  })

  test('hidden in one project and not in another: it stays among those of the organization', async () => {
    const { app, organization, project } = made()
    const other = await app.meta.projects.createProject({
      organizationId: organization.id,
      slug: 'api',
      name: 'Api',
      platform: null,
    })
    const both = [project.id, other.id]
    await hide('staging', true)
    expect([...(await app.meta.projects.hiddenEnvironments(both))]).toEqual(['staging'])
    expect([...(await app.meta.projects.hiddenEnvironments([other.id]))]).toEqual([])
    await hide('staging', false)
    expect([...(await app.meta.projects.hiddenEnvironments(both))]).toEqual([])
  })

  test.each<[Role, number, number]>([
    ['owner', 200, 200],
    ['admin', 200, 200],
    ['member', 200, 403],
    ['viewer', 200, 403],
  ])('%s: reads %i, hides %i', async (role, reads, hides) => {
    const { token } = await personAs(role, ['project:admin', 'event:read'])
    expect((await call('GET', `${P}/environments/`, { token })).status).toBe(reads)
    const body = { isHidden: false }
    expect((await call('PUT', `${P}/environments/production/`, { token, body })).status).toBe(hides)
  })

  test.each([
    ['one that was never seen', 'never', { isHidden: true }, 404],
    ['no answer to the question', 'production', {}, 400],
    ['a text', 'production', { isHidden: 'yes' }, 400],
  ])('refused: %s', async (_name, environment, body, status) => {
    expect((await call('PUT', `${P}/environments/${environment}/`, { body })).status).toBe(status)
    if (status === 404) expect((await call('GET', `${P}/environments/${environment}/`)).status).toBe(404)
  })
})

test('beyond the thousand names of a list: a hidden one is found, and others are not hidden by it', async () => {
  const { app, project } = made()
  const many = Array.from({ length: 1101 }, (_, i) => `run-${String(i).padStart(4, '0')}`)
  await made().store(
    [...many, ...many, 'zzz'].map((environment, i) => ({ ...seedEvents[3], event_id: hex(1000 + i), environment })),
  )
  expect((await hide('zzz', true)).status).toBe(200)
  for (const path of [`${P}/environments/`, `${O}/environments/`]) {
    expect(await names(`${path}?visibility=hidden`)).toEqual(['zzz'])
    const all = await names(`${path}?visibility=all`)
    expect([all.length, all.at(-1)]).toEqual([1000, 'zzz'])
  }
  await hide('zzz', false)
  for (const name of many) await app.meta.projects.hideEnvironment(project.id, name, name !== 'run-0700')
  expect(await names(`${P}/environments/`)).toEqual(expect.arrayContaining(['run-0700', 'zzz']))
  expect(await names(`${P}/environments/?visibility=hidden`)).toHaveLength(1000)
}, 30_000)
