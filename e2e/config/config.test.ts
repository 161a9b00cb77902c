import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { RestDashboard } from '../../src/contract/dashboards.ts'
import { metaEnv } from '../meta-database.ts'
import { api, bootstrap, type Project, root } from '../product.ts'

// Configuration as code against the running product: export, plan and apply through its socket.

const product = inject('product')
const org = 'asfiles'
const state = {} as { web: Project; folder: string }

/** Runs `mishap` as a person does. Returns the exit code and what it printed. */
function mishap(...words: string[]): { code: number | null; out: string; error: string } {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(root, 'src/processes/main.ts'), ...words, '--data', product.data],
    { encoding: 'utf8', env: { ...process.env, ...metaEnv(product.data) } },
  )
  return { code: status, out: stdout, error: stderr }
}
const file = (name: string) => join(state.folder, name)
const change = (name: string, from: string, to: string) =>
  writeFileSync(file(name), readFileSync(file(name), 'utf8').replace(from, to))
const send = async (method: string, path: string, value: unknown) =>
  (
    await api(product, state.web, `/organizations/${org}/dashboards/${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(value),
    })
  ).json as RestDashboard

beforeAll(() => {
  state.web = bootstrap(product, org, 'web')
  state.folder = mkdtempSync(join(tmpdir(), 'mishap-config-e2e-'))
})
afterAll(() => rmSync(state.folder, { recursive: true }))

test('what is exported is what is there: a plan of it has no changes', async () => {
  await send('POST', '', { title: 'Shop & more', duplicate: 'health' })
  await send('POST', '', { title: 'Own', visibility: 'owner' })
  const exported = mishap('export', state.folder, '--org', org)
  expect(exported).toMatchObject({ code: 0, out: expect.stringContaining('2 files.') })
  expect(readdirSync(state.folder, { recursive: true, encoding: 'utf8' }).sort()).toEqual([
    'dashboards',
    'dashboards/shop-more.yaml',
    'projects',
    'projects/web.yaml',
  ])
  const all = ['dashboards/shop-more.yaml', 'projects/web.yaml']
    .map((name) => readFileSync(file(name), 'utf8'))
    .join('')
  expect(all).not.toContain(new URL(state.web.dsn).username)
  expect(mishap('plan', state.folder, '--org', org)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^No changes/m),
  })
})

test('a plan shows what apply then does, and a second apply changes nothing', async () => {
  change('projects/web.yaml', 'localhost: false', 'localhost: true')
  change('dashboards/shop-more.yaml', 'period: 24h', 'period: 7d')
  const plan = mishap('plan', state.folder, '--org', org)
  expect(plan.code).toBe(2)
  expect(plan.out).toMatch(/~ project web[\s\S]*- {3}localhost: false\n\s+\+ {3}localhost: true/)
  expect(plan.out).toMatch(/~ dashboard Shop & more[\s\S]*- period: 24h\n\s+\+ period: 7d/)
  expect(mishap('apply', state.folder, '--org', org)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/2 changed/),
  })
  expect(mishap('apply', state.folder, '--org', org).out).toMatch(/^No changes/m)
  const filters = await api(product, state.web, `/projects/${org}/web/filters/`)
  expect(filters.json).toContainEqual(expect.objectContaining({ id: 'localhost', active: true }))
})

test('drift and what is in no file are reported; --prune deletes', async () => {
  const list = (await api(product, state.web, `/organizations/${org}/dashboards/`)).json as RestDashboard[]
  const board = list.find(({ title }) => title === 'Shop & more')
  await send('PUT', `${board?.id}/`, { period: '1h' })
  await send('POST', '', { title: 'By hand' })
  const { code, out } = mishap('plan', state.folder, '--org', org)
  expect(code).toBe(2)
  expect(out).toMatch(/dashboard Shop & more.*drift/)
  expect(out).toMatch(/\? dashboard By hand: in no file/)
  const json = mishap('plan', state.folder, '--org', org, '--prune', '--json')
  expect(JSON.parse(json.out)).toMatchObject({
    changes: [{ drift: true }, { action: 'delete', key: 'dashboard By hand' }],
  })
  expect(mishap('apply', state.folder, '--org', org, '--prune').code).toBe(0)
  const after = (await api(product, state.web, `/organizations/${org}/dashboards/`)).json as RestDashboard[]
  expect(after.filter(({ isReadyMade }) => !isReadyMade).map(({ title, period }) => [title, period])).toEqual([
    ['Own', null],
    ['Shop & more', '7d'],
  ])
})

test('an unknown key is refused with file and line, and nothing is applied', () => {
  writeFileSync(file('dashboards/wrong.yaml'), 'title: Wrong\ncolour: red\n')
  const applied = mishap('apply', state.folder, '--org', org)
  expect(applied.code).toBe(1)
  expect(applied.error).toContain('dashboards/wrong.yaml:2: The key colour is unknown.')
  expect(mishap('plan', state.folder, '--org', 'nobody')).toMatchObject({ code: 1 })
})
