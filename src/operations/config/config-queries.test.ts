import { describe, expect, test } from 'vitest'
import { restPlan } from '../../contract/explore/explore.ts'
import { setCodeMappings } from '../code-mappings.ts'
import { freshConfig } from '../config-rig.cases.ts'
import { createSavedQuery, updateSavedQuery } from '../saved-queries.ts'

const { state, deps, exported, plan, apply, faultsOf } = freshConfig()
const names = ({ changes }: Awaited<ReturnType<typeof plan>>) =>
  changes.map(({ action, key, drift }) => `${action} ${key}${drift ? ' (drift)' : ''}`)
const queries = () => state.rig.meta.explore.savedQueriesOf(1, 'ann')
const none = { changes: [], unmanaged: [], notes: [] }

describe('saved queries of Explore', () => {
  const file = `queries:
  - name: Errors by service
    projects: [web]
    environments: [production]
    period: 7d
    plan:
      dataset: logs
      groupBy: [service, "body.items[].id"]
      series:
        - { name: a, aggregate: count(), query: "severity:error" }
        - { name: b, aggregate: count() }
      formulas: [{ name: f, expression: a / b * 100 }]
      compare: previous
`
  const files = { 'queries.yaml': file }
  const value = { organizationId: 1, userId: 'ann', projects: [], environments: [], span: '' }
  const counted = restPlan.parse({ dataset: 'errors', series: [{ name: 'a', aggregate: 'count()' }] })

  test('are applied, exported and compared; a second apply changes nothing', async () => {
    expect(names(await apply(files))).toEqual(['create query Errors by service'])
    expect(await queries()).toMatchObject([
      {
        name: 'Errors by service',
        shared: true,
        projects: ['1'],
        environments: ['production'],
        span: '7d',
        plan: { dataset: 'logs', groupBy: ['service', 'body.items[].id'], compare: 'previous', limit: 100 },
      },
    ])
    expect(names(await apply(files))).toEqual([])
    const written = await exported()
    expect(Object.keys(written)).toEqual(['projects/web.yaml', 'queries.yaml'])
    expect(await plan(written)).toEqual(none)
    const { changes } = await plan({ 'queries.yaml': file.replace('period: 7d', 'period: 24h') })
    expect(changes.map(({ diff }) => diff.filter((text) => /^[+-]/.test(text)))).toEqual([
      ['- period: 7d', '+ period: 24h'],
    ])
  })

  test('a change by hand is drift; own ones are in no file and stay; --prune deletes shared ones', async () => {
    await apply(files)
    const [query] = await queries()
    await updateSavedQuery(deps(), query?.id ?? 0, { span: '1h' })
    expect(names(await plan(files))).toEqual(['change query Errors by service (drift)'])
    await createSavedQuery(deps(), { ...value, name: 'Own', shared: false, plan: counted })
    await createSavedQuery(deps(), { ...value, name: 'Other', shared: true, plan: counted })
    expect(await plan(files)).toMatchObject({ unmanaged: ['query Other'] })
    await apply(files, true)
    expect((await queries()).map(({ name, span }) => [name, span])).toEqual([
      ['Errors by service', '7d'],
      ['Own', ''],
    ])
    expect((await exported())['queries.yaml']).not.toContain('Own')
  })

  test.each([
    ['a field that no plan has', file.replace('groupBy', 'groups'), /queries\.yaml:8: The key groups is unknown/],
    ['an unknown dataset', file.replace('logs', 'sessions'), /queries\.yaml:7: queries\.0\.plan\.dataset/],
    ['a project that is not there', file.replace('[web]', '[gone]'), /names the project gone, which does not exist/],
    [
      'a name of spaces',
      file.replace('Errors by service', '" "'),
      /queries\.yaml:2: queries\.0\.name: A name of 1 to 64/,
    ],
    [
      'a name with a line break',
      file.replace('Errors by service', '"a\\nb"'),
      /queries\.yaml:2: queries\.0\.name: A name without control characters.*\("a\\nb"\)/,
    ],
    ['a range without length', file.replace('7d', '0d'), /queries\.0\.period: A length from 1s to 3650d/],
    [
      'a range that ends before it begins',
      file.replace('7d', '2026-11-08/2026-11-01'),
      /queries\.0\.period: The first date must be before the second\. Exchange them\. \("Errors by service"\)/,
    ],
    [
      'names that differ in case',
      `${file}${file.split('\n').slice(1).join('\n').replace('Errors by', 'errors BY')}`,
      /query errors BY service: the name differs from that of query Errors by service only in case/,
    ],
    ['a range that is none', file.replace('7d', 'soon'), /queries\.yaml:5: queries\.0\.period: A length/],
    ['a name twice', `${file}${file.split('\n').slice(1).join('\n')}`, /query Errors by service is also in/],
    [
      'a plan that no store takes',
      file.replace(
        '- { name: b, aggregate: count() }',
        Array.from(
          { length: 9 },
          (_, n) => `- { name: "s${n}", aggregate: count(), query: "${'é'.repeat(4000)}" }`,
        ).join('\n        '),
      ),
      /the plan is over 64 KiB/,
    ],
  ])('%s is refused', async (_name, text, fault) => {
    expect(await faultsOf({ 'queries.yaml': text })).toMatch(fault)
    expect(await queries()).toEqual([])
  })

  test('more than an organization may have are refused before anything is applied', async () => {
    for (let n = 0; n < 200; n++)
      await createSavedQuery(deps(), { ...value, name: `query ${n}`, shared: true, plan: counted })
    expect(await faultsOf(files)).toBe(
      'There would be 201 shared saved queries. At most 200 are allowed. Delete some first.',
    )
    // Deletions come last, so they make no room.
    expect(await faultsOf(files, true)).toMatch(/^There would be 201 shared saved queries/)
  })
})

describe('code mappings', () => {
  const file = (mappings: string) => ({ 'projects/web.yaml': `project: web\ncodeMappings:${mappings}` })
  const two = file(`
  - { repository: acme/web, stackRoot: src/, sourceRoot: app/src/ }
  - { repository: acme/lib, stackRoot: lib/, sourceRoot: "", defaultBranch: next }
`)
  const stored = async () =>
    (await state.rig.meta.trackers.codeMappingsOf(1))
      .map(({ repository, stackRoot, sourceRoot, defaultBranch }) => [repository, stackRoot, sourceRoot, defaultBranch])
      .sort()

  test('a list makes the mappings of the project what it says, and creates repositories', async () => {
    expect(names(await apply(two))).toEqual(['change project web'])
    expect(await stored()).toEqual([
      ['acme/lib', 'lib/', '', 'next'],
      ['acme/web', 'src/', 'app/src/', 'main'],
    ])
    expect(names(await apply(two))).toEqual([])
    const written = await exported()
    expect(written['projects/web.yaml']).toMatch(/codeMappings:\n {2}- repository: acme\/lib\n/)
    expect(await plan(written)).toEqual(none)
    await apply(file('\n  - { repository: acme/web, stackRoot: src/, sourceRoot: web/, defaultBranch: "" }\n'))
    expect(await stored()).toEqual([['acme/web', 'src/', 'web/', 'main']])
    await apply({ 'projects/web.yaml': 'project: web\nname: Shop\n' })
    expect(await stored()).toHaveLength(1)
    expect(names(await apply(file(' []\n')))).toEqual(['change project web'])
    expect(await stored()).toEqual([])
    expect(names(await plan(file(' []\n')))).toEqual([])
    expect((await exported())['projects/web.yaml']).not.toContain('codeMappings')
  })

  test('a change by hand is drift', async () => {
    await apply(two)
    const project = await state.rig.meta.projects.projectById(1)
    if (!project) throw new Error('the project is there')
    await setCodeMappings(deps(), project, [
      { repository: 'acme/web', stackRoot: 'src/', sourceRoot: 'by-hand/', defaultBranch: 'main' },
    ])
    expect(names(await plan(two))).toEqual(['change project web (drift)'])
  })

  test('of a project that the same apply creates', async () => {
    const made = two['projects/web.yaml']?.replace('project: web', 'project: shop') ?? ''
    expect(names(await apply({ 'projects/shop.yaml': made }))).toEqual(['create project shop'])
    expect(await stored()).toHaveLength(2)
  })

  test.each([
    [
      'a path out of the repository',
      '\n  - { repository: r, stackRoot: a/, sourceRoot: b/../../c }\n',
      /without "\.\."/,
    ],
    [
      'a key that is none',
      '\n  - { repository: r, stackRoot: a/, sourceRoot: b/, token: c }\n',
      /The key token is unknown/,
    ],
    ['no name', '\n  - { repository: "", stackRoot: a/, sourceRoot: b/ }\n', /projects\/web\.yaml:3: codeMappings\.0/],
    [
      'a stack root twice',
      '\n  - { repository: r, stackRoot: a/, sourceRoot: b/ }\n  - { repository: s, stackRoot: a/, sourceRoot: c/ }\n',
      /codeMappings: A stack root twice/,
    ],
  ])('%s is refused', async (_name, text, fault) => {
    expect(await faultsOf(file(text))).toMatch(fault)
    expect(await stored()).toEqual([])
  })
})
