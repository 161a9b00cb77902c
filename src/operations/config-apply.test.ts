import { describe, expect, test } from 'vitest'
import { newAlertRuleBody } from '../contract/alerts/alerts.ts'
import { createAlertRule } from './alert-rules.ts'
import { exportConfig } from './config-apply.ts'
import { freshConfig } from './config-rig.cases.ts'
import { createDashboard } from './dashboards.ts'
import { createSearch } from './saved-searches.ts'
import { createWorkflow } from './workflows.ts'

const { state, deps, exported, plan, apply, faultsOf } = freshConfig()
const names = ({ changes }: Awaited<ReturnType<typeof plan>>) => changes.map(({ action, key }) => `${action} ${key}`)

const board = `title: Shop
period: 24h
projects: [web]
widgets:
  - title: Errors
    displayType: line
    widgetType: logs
    queries:
      - aggregates: ["count()"]
        fields: ["count()"]
        conditions: severity:error
`
const views = 'views:\n  - scope: issues\n    name: Mine\n    query: is:unresolved\n    projects: [web]\n'
const all = { 'dashboards/shop.yaml': board, 'views.yaml': views }

describe('export, plan and apply', () => {
  test('an export of a new organization says all of its projects, and plans nothing', async () => {
    const files = await exported()
    expect(Object.keys(files)).toEqual(['projects/web.yaml'])
    expect(files['projects/web.yaml']).toContain('project: web\n')
    expect(files['projects/web.yaml']).not.toMatch(/token|secret|dsn|publicKey/i)
    expect(await plan(files)).toEqual({ changes: [], unmanaged: [], notes: [] })
  })

  test('what was applied is exported, and a second apply changes nothing', async () => {
    expect(names(await plan(all))).toEqual(['create dashboard Shop', 'create view issues Mine'])
    expect(names(await apply(all))).toEqual(['create dashboard Shop', 'create view issues Mine'])
    expect(names(await apply(all))).toEqual([])
    const files = await exported()
    expect(Object.keys(files)).toEqual(['projects/web.yaml', 'dashboards/shop.yaml', 'views.yaml'])
    expect(await plan(files)).toEqual({ changes: [], unmanaged: [], notes: [] })
    const [stored] = await state.rig.meta.dashboards.listDashboards(1, '')
    expect(JSON.parse(stored?.content ?? '')).toMatchObject({
      projects: [1],
      widgets: [{ plan: { dataset: 'logs', query: 'severity:error' }, layout: { x: 0, y: 0 } }],
    })
  })

  test('a change shows its lines, and keeps what a project file leaves out', async () => {
    const file = {
      'projects/web.yaml':
        'project: web\nfilters:\n  localhost: true\nsettings:\n  sensitiveFields: [iban]\n  metricSeriesMax: 5000\n',
    }
    const { changes } = await plan(file)
    expect(changes.map(({ action, key }) => `${action} ${key}`)).toEqual(['change project web'])
    expect(changes[0]?.diff.filter((line) => /^[+-]/.test(line))).toEqual([
      '-   sensitiveFields: []',
      '+   sensitiveFields:',
      '+     - iban',
      '-   metricSeriesMax: 10000',
      '+   metricSeriesMax: 5000',
      '-   localhost: false',
      '+   localhost: true',
    ])
    await apply(file)
    const { projects } = state.rig.meta
    expect((await projects.filtersOf(1)).localhost).toBe(true)
    expect((await projects.scrubSettings(1)).sensitiveFields).toEqual(['iban'])
    expect((await projects.projectById(1))?.name).toBe('Web')
    expect(state.rig.published).toHaveLength(1)
    expect(names(await plan(file))).toEqual([])
  })

  test('a project that is new is created with a key, and dashboards may name it', async () => {
    const files = {
      'projects/api.yaml': 'project: api\nname: API\nplatform: node\n',
      'dashboards/a.yaml': 'title: A\nprojects: [api]\n',
    }
    expect(names(await apply(files))).toEqual(['create dashboard A', 'create project api'])
    const project = await state.rig.meta.projects.projectBySlug(1, 'api')
    expect(await state.rig.meta.projects.keysOf(project?.id ?? 0)).toHaveLength(1)
    expect(names(await plan(files))).toEqual([])
  })

  test('receivers of a workflow are in the files of its rules; others take a rule out of it', async () => {
    const { alertRules } = state.rig.meta
    const plan = { dataset: 'errors', series: [{ name: 'a', aggregate: 'count()' }] }
    const threshold = { type: 'fixed', direction: 'above', critical: 9 }
    const metric = { plan, of: 'a', windowMinutes: 5, threshold }
    const by = { organizationId: 1, userId: 'ann' }
    const [first, second] = [
      await createAlertRule(deps(), by, newAlertRuleBody.parse({ name: 'First', metric })),
      await createAlertRule(deps(), by, newAlertRuleBody.parse({ name: 'Second', metric })),
    ]
    const { id } = await createWorkflow(deps(), by, {
      name: 'Everybody',
      enabled: true,
      environment: null,
      intervalMinutes: 60,
      triggers: null,
      actionFilters: [],
      actions: [{ type: 'members' }],
      ruleIds: [first.id, second.id],
    })
    const files = await exported()
    expect(files['alerts/first.yaml']).toContain('type: members')
    expect(names(await apply(files))).toEqual([])
    await apply({ ...files, 'alerts/first.yaml': (files['alerts/first.yaml'] ?? '').replace(': 9', ': 8') })
    expect(await alertRules.workflowById(id)).toMatchObject({ ruleIds: [first.id, second.id] })
    await apply({ ...files, 'alerts/first.yaml': (files['alerts/first.yaml'] ?? '').replace('members', 'owners') })
    expect(await alertRules.workflowById(id)).toMatchObject({ ruleIds: [second.id] })
  })

  test('drift is what people changed since the last apply', async () => {
    await apply(all)
    const [stored] = await state.rig.meta.dashboards.listDashboards(1, '')
    await state.rig.meta.dashboards.updateDashboard(
      stored?.id ?? 0,
      { content: (stored?.content ?? '').replace('24h', '7d') },
      'ann',
    )
    const { changes } = await plan(all)
    expect(changes).toMatchObject([
      { key: 'dashboard Shop', drift: true, diff: expect.arrayContaining(['- period: 7d', '+ period: 24h']) },
    ])
    // A change of the file alone is none.
    const renamed = { ...all, 'views.yaml': views.replace('is:unresolved', 'is:resolved') }
    expect((await plan(renamed)).changes.map(({ key, drift }) => [key, drift])).toEqual([
      ['dashboard Shop', true],
      ['view issues Mine', false],
    ])
    await state.rig.meta.dashboards.deleteDashboard(stored?.id ?? 0)
    expect((await plan(all)).changes).toMatchObject([{ action: 'create', key: 'dashboard Shop', drift: true }])
  })

  test('what is in no file stays, until it is pruned; own things are never touched', async () => {
    const owner = { organizationId: 1, userId: 'ann' }
    const content = {
      widgets: [],
      projects: [],
      environment: [],
      period: null,
      filters: { release: [] },
      attribute: '',
    }
    await createDashboard(deps(), owner, { title: 'Other', shared: true, content })
    await createDashboard(deps(), owner, { title: 'Own', shared: false, content })
    const view = { query: '', sort: 'date', projects: [], environments: [], span: '', columns: [], facets: [] }
    await createSearch(deps(), { ...owner, scope: 'issues', name: 'Old', shared: true, ...view })
    expect(await plan(all)).toMatchObject({ unmanaged: ['dashboard Other', 'view issues Old'] })
    await apply(all)
    expect(names(await apply(all, true))).toEqual(['delete dashboard Other', 'delete view issues Old'])
    const left = await state.rig.meta.dashboards.listDashboards(1, 'ann')
    expect(left.map(({ title }) => title)).toEqual(['Own', 'Shop'])
  })
})

describe('columns of views', () => {
  const logs = 'views:\n  - scope: logs\n    name: Carts\n    columns: [service, cart.id]\n'

  test('are applied, exported and compared', async () => {
    await apply({ 'views.yaml': logs })
    const [stored] = await state.rig.meta.issues.savedSearches(1, '', 'logs')
    expect(stored).toMatchObject({ sort: 'lines', columns: ['service', 'cart.id'] })
    const files = await exported()
    expect(files['views.yaml']).toContain('columns:\n      - service\n      - cart.id\n')
    expect(await plan(files)).toEqual({ changes: [], unmanaged: [], notes: [] })
    const { changes } = await plan({ 'views.yaml': logs.replace('cart.id', 'host') })
    expect(changes.map(({ diff }) => diff.filter((line) => /^[+-]/.test(line)))).toEqual([
      ['-   - cart.id', '+   - host'],
    ])
    await apply({ 'views.yaml': logs.replace('[service, cart.id]', '[]') })
    expect((await state.rig.meta.issues.savedSearches(1, '', 'logs'))[0]?.columns).toEqual([])
    expect((await exported())['views.yaml']).not.toContain('columns')
  })

  test('that lines do not have are kept, with a remark', async () => {
    const files = { 'views.yaml': logs.replace('cart.id', '"count()"') }
    const note = 'view logs Carts has the column "count()", which logs do not have. The list leaves it out.'
    expect(await plan(files)).toMatchObject({ notes: [note], changes: [{ action: 'create' }] })
    expect((await apply(files)).notes).toEqual([note])
    expect(await exportConfig(deps(), 'acme')).toMatchObject({ notes: [note] })
    expect(await plan(await exported())).toEqual({ changes: [], unmanaged: [], notes: [note] })
  })

  test('facets that a reader added are in files, too', async () => {
    await apply({ 'views.yaml': `${logs}    facets: [cart.id, "count()"]\n` })
    const [stored] = await state.rig.meta.issues.savedSearches(1, '', 'logs')
    expect(stored?.facets).toEqual(['cart.id', 'count()'])
    const files = await exported()
    expect(files['views.yaml']).toContain('facets:\n      - cart.id\n      - count()\n')
    expect(await plan(files)).toMatchObject({
      changes: [],
      notes: [expect.stringContaining('has the facet "count()"')],
    })
    await apply({ 'views.yaml': logs })
    expect((await exported())['views.yaml']).not.toContain('facets')
    const wrong = 'views:\n  - scope: issues\n    name: A\n    facets: [a]\n'
    expect(await faultsOf({ 'views.yaml': wrong })).toMatch(/issues A: only a view of logs has facets/)
  })

  test.each([
    ['of a list without columns', logs.replace('logs', 'issues'), /issues Carts: only a view of logs has columns/],
    ['with a comma', logs.replace('cart.id', '"a,b"'), /views\.yaml:4: views\.0\.columns\.1: A name without a comma/],
    ['that are too many', logs.replace('cart.id', 'a, b, c, d, e, f'), /views\.yaml:4: views\.0\.columns/],
  ])('%s are refused', async (_name, text, fault) => expect(await faultsOf({ 'views.yaml': text })).toMatch(fault))
})

describe('what is wrong is named by file and line', () => {
  test.each<[string, Record<string, string>, string]>([
    [
      'an unknown key',
      { 'dashboards/a.yaml': 'title: A\nwidgets: []\ncolour: red\n' },
      'dashboards/a.yaml:3: The key colour is unknown.',
    ],
    [
      'an unknown key inside',
      { 'projects/web.yaml': 'project: web\nsettings:\n  dataScrubber: true\n  sekret: x\n' },
      'projects/web.yaml:4: The key sekret is unknown.',
    ],
    ['a wrong type', { 'views.yaml': 'views:\n  - scope: issues\n    name: 5\n' }, 'views.yaml:3: views.0.name:'],
    ['no YAML', { 'views.yaml': 'views:\n  - a: [\n' }, 'views.yaml:3:'],
    ['a key twice', { 'projects/web.yaml': 'project: web\nname: a\nname: b\n' }, 'projects/web.yaml:3:'],
    [
      'a tile that cannot be kept',
      { 'dashboards/a.yaml': `${board}        orderby: -x\n` },
      'dashboards/a.yaml:12: widgets[0].queries[0].orderby:',
    ],
    ['a file that nobody knows', { 'other.yaml': 'a: 1\n' }, 'other.yaml:1: Files are'],
    [
      'one thing in two files',
      { 'dashboards/a.yaml': 'title: A\n', 'dashboards/b.yaml': 'title: A\n' },
      'dashboards/b.yaml:1: dashboard A is also in dashboards/a.yaml.',
    ],
    [
      'a project that is not there',
      { 'dashboards/a.yaml': 'title: A\nprojects: [gone]\n' },
      'names the project gone, which does not exist.',
    ],
    [
      'a channel that is not there',
      { 'notifications.yaml': 'channels:\n  - name: chat\n' },
      'there is no channel chat.',
    ],
  ])('%s', async (_name, files, fault) => expect(await faultsOf(files)).toContain(fault))

  test('a text that grows by anchors is refused', async () => {
    const bomb = `a: &a [x, x, x, x, x, x, x, x, x]\n${Array.from({ length: 8 }, (_line, at) => {
      const [own, last] = [String.fromCharCode(98 + at), String.fromCharCode(97 + at)]
      return `${own}: &${own} [${Array.from({ length: 9 }, () => `*${last}`).join(', ')}]`
    }).join('\n')}\n`
    expect(await faultsOf({ 'views.yaml': bomb })).toMatch(/alias/i)
  })

  test('nothing is applied while a file is wrong', async () => {
    await expect(apply({ ...all, 'other.yaml': 'a: 1' })).rejects.toThrow(/other\.yaml/)
    expect(await state.rig.meta.dashboards.listDashboards(1, '')).toEqual([])
  })

  const second = (view: string) => ({ ...all, 'views.yaml': `${views}  - scope: issues\n    ${view}\n` })
  test.each<[string, Record<string, string>, string]>([
    ['no name', second('query: a'), 'views.yaml:6: views.1.name:'],
    ['an empty name', second('name: ""'), 'views.yaml:7: views.1.name: A name of 1 to 64 characters.'],
    ['a name of spaces', second('name: "  "'), 'views.yaml:7: views.1.name: A name of 1 to 64 characters.'],
    [
      'a long name',
      second(`name: ${'x'.repeat(65)}`),
      `views.yaml:7: views.1.name: A name of 1 to 64 characters. Shorten it. ("${'x'.repeat(65)}")`,
    ],
    ['a tab in a name', second('name: "a\\tb"'), 'views.yaml:7: views.1.name: A name without control characters'],
    [
      'a period that is none',
      second('name: Old\n    period: soon'),
      'views.yaml:8: views.1.period: A length such as 14d, two dates such as 2026-11-01T00:00:00Z/2026-11-08T00:00:00Z, or empty for the default. ("Old")',
    ],
    [
      'a period that ends before it begins',
      second('name: Old\n    period: 2026-11-08/2026-11-01'),
      'views.yaml:8: views.1.period: The first date must be before the second. Exchange them. ("Old")',
    ],
    ['a period without length', second('name: Old\n    period: 0h'), 'views.1.period: A length from 1s to 3650d'],
    [
      'a name that differs in case from another one',
      second('name: MINE'),
      'views.yaml: view issues MINE: the name differs from that of view issues Mine only in case.',
    ],
    [
      'a dashboard without a title',
      { ...all, 'dashboards/a.yaml': 'title: " "\n' },
      'a.yaml:1: title: A title of 1 to 120',
    ],
    [
      'a dashboard with dates',
      { ...all, 'dashboards/a.yaml': 'title: A\nperiod: 2026-11-01/2026-11-08\n' },
      'dashboards/a.yaml:2: period: A length such as 24h: a dashboard keeps no dates.',
    ],
    [
      'a dashboard with a period that is none',
      { ...all, 'dashboards/a.yaml': 'title: A\nperiod: soon\n' },
      'a.yaml:2: period: A length',
    ],
    [
      'a dashboard that no store takes',
      {
        ...all,
        'dashboards/a.yaml': `title: A\nwidgets:\n${Array.from({ length: 29 }, () => `  - title: T\n    displayType: text\n    description: "${'x'.repeat(19_000)}"\n`).join('')}`,
      },
      'dashboards/a.yaml: dashboard A: the tiles are over 512 KiB. Split the dashboard.',
    ],
  ])('%s is named, and nothing is applied', async (_name, files, fault) => {
    const before = await exported()
    expect(await faultsOf(files)).toContain(fault)
    await expect(apply(files)).rejects.toMatchObject({ code: 'VALIDATION' })
    expect(await exported()).toEqual(before)
  })

  const view = {
    organizationId: 1,
    userId: 'ann',
    scope: 'issues',
    shared: true,
    query: '',
    sort: 'date',
    span: '',
  } as const
  const lists = { projects: [], environments: [], columns: [], facets: [] }

  test('a name that a stored view has in other letters is refused, also if --prune would delete that one', async () => {
    await createSearch(deps(), { ...view, ...lists, name: 'mine' })
    expect(await faultsOf(all, true)).toMatch(
      /view issues Mine: the name differs from that of view issues mine only in case/,
    )
    expect(await state.rig.meta.dashboards.listDashboards(1, '')).toEqual([])
  })

  test('more views of a list, or dashboards, than an organization may have are refused', async () => {
    for (let n = 0; n < 100; n++) await createSearch(deps(), { ...view, ...lists, name: `view ${n}` })
    expect(await faultsOf(all)).toBe(
      'There would be 101 shared views of issues. At most 100 are allowed. Delete some first.',
    )
    expect(await faultsOf({ 'views.yaml': views.replace('issues', 'logs') })).toBe('')
    const boards = Array.from({ length: 201 }, (_, n) => [`dashboards/b${n}.yaml`, `title: B${n}\n`] as const)
    expect(await faultsOf(Object.fromEntries(boards))).toMatch(/^There would be 201 shared dashboards/)
  })

  test('a length that no menu offers is kept, with a remark', async () => {
    const files = {
      'views.yaml': views.replace('name: Mine', 'name: Mine\n    period: 3d'),
      'dashboards/shop.yaml': board.replace('period: 24h', 'period: 2w'),
    }
    const { notes } = await apply(files)
    expect(notes).toEqual([
      'dashboard Shop has the period 2w. Screens offer 1h, 24h, 7d, 14d, 30d, 90d, so it opens with the usual one.',
      'view issues Mine has the period 3d. Screens offer 1h, 24h, 7d, 14d, 30d, 90d, so it opens with the usual one.',
    ])
    expect(await plan(await exported())).toMatchObject({ changes: [], notes })
  })

  test.each([
    [
      'a browser',
      { 'projects/new.yaml': 'project: new\nfilters:\n  browsers: [netscape]\n' },
      /netscape is no browser/,
    ],
    ['an order', { 'views.yaml': views.replace('name: Mine', 'name: Mine\n    sort: size') }, /Mine: sort is one of/],
    [
      'an owner',
      { 'projects/new.yaml': 'project: new\nownership:\n  rules: "path:src nobody@else.example"\n' },
      /ownership\.rules, line 1/,
    ],
  ])('%s that Mishap does not know is refused before anything is created', async (_, files, fault) => {
    const before = await exported()
    expect(await faultsOf(files)).toMatch(fault)
    await expect(apply(files)).rejects.toThrow(fault)
    expect(await exported()).toEqual(before)
  })

  test('an organization that is not there', async () => {
    await expect(exportConfig(deps(), 'nobody')).rejects.toThrow(/no organization nobody/)
  })
})
