import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { RestAlertRule } from '../../src/contract/alerts/alerts.ts'
import type { RestDashboard } from '../../src/contract/explore/dashboards.ts'
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

test('alert rules and on-call schedules: created from files, exported as they are, and drift of a rule', async () => {
  const rules = `/organizations/${org}/alerts/`
  const member = (await api(product, state.web, `/organizations/${org}/members/`)).json as { email: string }[]
  writeFileSync(
    file('on-call.yaml'),
    `schedules:\n  - name: Days\n    timeZone: Europe/Berlin\n    startDate: 2026-01-05\n    members: [${member[0]?.email}]\n`,
  )
  mkdirSync(file('alerts'))
  writeFileSync(
    file('alerts/slow.yaml'),
    `name: Too slow
projects: [web]
metric:
  plan:
    dataset: spans
    series: [{ name: a, aggregate: p95(span.duration) }]
  of: a
  windowMinutes: 5
  threshold: { type: fixed, direction: above, critical: 800 }
actions:
  - { type: on_call, schedule: Days }
  - { type: channel, channel: Chat }
`,
  )
  const refused = mishap('plan', state.folder, '--org', org)
  expect(refused).toMatchObject({ code: 1, out: '' })
  expect(refused.error).toContain('alerts/slow.yaml: alert Too slow: actions.1: there is no channel "Chat".')
  change('alerts/slow.yaml', '  - { type: channel, channel: Chat }\n', '')
  const planned = mishap('plan', state.folder, '--org', org)
  expect(planned.code).toBe(2)
  expect(planned.out).toMatch(/\+ alert Too slow[\s\S]*\+ on-call Days/)
  expect((await api(product, state.web, rules)).json).toEqual([])
  expect(mishap('apply', state.folder, '--org', org).out).toMatch(/2 created, 0 changed/)
  const created = ((await api(product, state.web, rules)).json as RestAlertRule[])[0]
  expect(created).toMatchObject({ name: 'Too slow', projects: ['web'], actions: [{ type: 'on_call' }], revision: 0 })
  expect(mishap('export', state.folder, '--org', org).code).toBe(0)
  expect(readdirSync(file('alerts'))).toEqual(['too-slow.yaml'])
  expect(mishap('plan', state.folder, '--org', org)).toMatchObject({ code: 0 })
  await api(product, state.web, `${rules}${created?.id}/`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ isActive: false }),
  })
  const drifted = mishap('plan', state.folder, '--org', org)
  expect(drifted).toMatchObject({
    code: 2,
    out: expect.stringMatching(/~ alert Too slow.*drift[\s\S]*- isActive: false/),
  })
})

test('a plan of 100 rules is printed to its end', () => {
  const rule = readFileSync(file('alerts/too-slow.yaml'), 'utf8')
  const added = Array.from({ length: 100 }, (_, at) => file(`alerts/many-${at}.yaml`))
  for (const [at, path] of added.entries()) writeFileSync(path, rule.replace('Too slow', `Many ${at}`))
  const { code, out } = mishap('plan', state.folder, '--org', org)
  for (const path of added) rmSync(path)
  expect(out.length).toBeGreaterThan(64 * 1024)
  expect([code, out.trim().split('\n').at(-1)]).toEqual([2, 'Plan: 100 created, 1 changed, 0 deleted; 1 drifted.'])
})

test('an unknown key is refused with file and line, and nothing is applied', () => {
  writeFileSync(file('dashboards/wrong.yaml'), 'title: Wrong\ncolour: red\n')
  const applied = mishap('apply', state.folder, '--org', org)
  expect(applied.code).toBe(1)
  expect(applied.error).toContain('dashboards/wrong.yaml:2: The key colour is unknown.')
  expect(mishap('plan', state.folder, '--org', 'nobody')).toMatchObject({ code: 1 })
})
