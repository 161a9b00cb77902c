import { describe, expect, test } from 'vitest'
import { MishapError } from '../base/errors.ts'
import { type ConfigFiles, readConfigFiles, writeConfigFiles } from './config-files.ts'

/** The faults of files, one in each line. */
function faultsOf(files: ConfigFiles): string[] {
  try {
    readConfigFiles(files)
  } catch (error) {
    if (error instanceof MishapError && error.code === 'VALIDATION') return error.message.split('\n')
    throw error
  }
  return []
}

const project = 'project: web\nname: Web\nfilters:\n  localhost: true\n'
const dashboard = 'title: Shop\nwidgets:\n  - title: Errors\n    displayType: text\n    description: Hello\n'
const views = 'views:\n  - scope: issues\n    name: Mine\n    query: is:unresolved\n'
const channels = 'channels:\n  - name: Ops\n    active: false\n'

describe('files are read', () => {
  test.each<[string, string, string, string[]]>([
    ['a project', 'projects/web.yaml', project, ['project web']],
    ['a dashboard', 'dashboards/shop.yaml', dashboard, ['dashboard Shop']],
    ['views', 'views.yaml', views, ['view issues Mine']],
    ['no views', 'views.yaml', 'views: []\n', []],
    ['channels', 'notifications.yaml', channels, ['channel Ops']],
    ['a comment and Windows line ends', 'projects/web.yaml', '# ours\r\nproject: web\r\n', ['project web']],
    ['an anchor', 'projects/web.yaml', 'project: &slug web\nname: *slug\n', ['project web']],
  ])('%s', (_name, file, text, keys) => expect(readConfigFiles({ [file]: text }).map(({ key }) => key)).toEqual(keys))

  test('in the order of their names, whatever their order', () => {
    const items = readConfigFiles({ 'views.yaml': views, 'projects/web.yaml': project, 'dashboards/a.yaml': dashboard })
    expect(items.map(({ kind }) => kind)).toEqual(['dashboard', 'project', 'view'])
  })

  test('what is left out is not there, so that it stays as it is', () => {
    expect(readConfigFiles({ 'projects/web.yaml': 'project: web\n' })[0]?.value).toEqual({ project: 'web' })
  })
})

describe('faults name file and line', () => {
  test.each<[string, string, string, string]>([
    [
      'an unknown key',
      'projects/web.yaml',
      'project: web\ntoken: abc\n',
      'projects/web.yaml:2: The key token is unknown.',
    ],
    [
      'an unknown key inside',
      'projects/web.yaml',
      `${project}  colour: red\n`,
      'projects/web.yaml:5: The key colour is unknown.',
    ],
    [
      'a wrong type',
      'projects/web.yaml',
      'project: web\nfilters:\n  localhost: maybe\n',
      'projects/web.yaml:3: filters.localhost:',
    ],
    ['no slug', 'projects/web.yaml', 'name: Web\n', 'projects/web.yaml:1: project:'],
    [
      'a slug of digits',
      'projects/web.yaml',
      'project: "42"\n',
      'projects/web.yaml:1: project: The slug of a project.',
    ],
    ['a key twice', 'views.yaml', 'views: []\nviews: []\n', 'views.yaml:2:'],
    ['broken YAML', 'views.yaml', 'views:\n  - {\n', 'views.yaml:'],
    ['an empty file', 'views.yaml', '', 'views.yaml:1:'],
    ['a list', 'projects/web.yaml', '- a\n', 'projects/web.yaml:1:'],
    [
      'a list of another scope',
      'views.yaml',
      'views:\n  - scope: replays\n    name: x\n',
      'views.yaml:2: views.0.scope:',
    ],
    ['another file', 'readme.yaml', project, 'readme.yaml:1: Files are views.yaml,'],
    ['a folder in a folder', 'projects/a/b.yaml', project, 'projects/a/b.yaml:1: Files are views.yaml,'],
    ['a path that leads out', '../projects/web.yaml', project, '../projects/web.yaml:1: Files are views.yaml,'],
  ])('%s', (_name, file, text, fault) => expect(faultsOf({ [file]: text })[0]?.slice(0, fault.length)).toBe(fault))

  test('one thing in two files', () => {
    expect(faultsOf({ 'projects/a.yaml': project, 'projects/b.yaml': project })).toEqual([
      'projects/b.yaml:1: project web is also in projects/a.yaml.',
    ])
  })

  test('all of them, up to 50', () => {
    const many = Array.from({ length: 60 }, (_, n) => `key${n}: 1`).join('\n')
    const faults = faultsOf({ 'projects/web.yaml': `project: web\n${many}\n` })
    expect([faults.length, faults.at(-1)]).toEqual([51, 'and 10 more'])
  })

  test('anchors that grow', () => {
    const bomb = [
      'a: &a [x, x]',
      ...'bcdefghi'
        .split('')
        .map((name, at) => `${name}: &${name} [${Array.from({ length: 9 }, () => `*${'abcdefgh'[at]}`).join(', ')}]`),
    ]
    expect(faultsOf({ 'projects/web.yaml': bomb.join('\n') })).toEqual([
      expect.stringContaining('projects/web.yaml:1:'),
    ])
  })
})

describe('files are written', () => {
  const files = {
    'projects/web.yaml': project,
    'dashboards/shop.yaml': dashboard,
    'views.yaml': views,
    'notifications.yaml': channels,
  }

  test('what was read and written is read as the same', () => {
    const items = readConfigFiles(files)
    const again = readConfigFiles(writeConfigFiles(items))
    expect(writeConfigFiles(again)).toEqual(writeConfigFiles(items))
    expect(Object.keys(writeConfigFiles(items)).sort()).toEqual(Object.keys(files).sort())
  })

  test.each<[string, string[], string[]]>([
    ['a title', ['Shop & more'], ['dashboards/shop-more.yaml']],
    ['no letters', ['–'], ['dashboards/dashboard.yaml']],
    [
      'titles that differ by signs',
      ['A b', 'A-b', 'a_b'],
      ['dashboards/a-b.yaml', 'dashboards/a-b-2.yaml', 'dashboards/a-b-3.yaml'],
    ],
    ['a title that leads out', ['../../etc'], ['dashboards/etc.yaml']],
    ['a long title', ['x'.repeat(120)], [`dashboards/${'x'.repeat(60)}.yaml`]],
  ])('a dashboard is named after %s', (_name, titles, names) => {
    const read = readConfigFiles(
      Object.fromEntries(
        titles.map((title, n) => [`dashboards/${n}.yaml`, `title: ${JSON.stringify(title)}\nwidgets: []\n`]),
      ),
    )
    expect(Object.keys(writeConfigFiles(read))).toEqual(names)
  })

  test('no things are no files', () => expect(writeConfigFiles([])).toEqual({}))
})
