import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

type Tree = { [key: string]: string | Tree }

// Texts are typed by nobody: a key that stands in another part of the catalogue is shown as its name.

const web = join(import.meta.dirname, '..')
const read = (name: string): Tree => JSON.parse(readFileSync(join(web, 'messages', name), 'utf8')) as Tree
/** As request.ts puts them together: each file under its own name, but for one. */
const catalogue: Tree = { ...read('en.json'), operation: read('status.en.json') }
for (const name of globSync('*.en.json', { cwd: join(web, 'messages') }))
  if (name !== 'status.en.json') catalogue[name.replace('.en.json', '')] = read(name)
const textAt = (path: string): unknown =>
  path.split('.').reduce<unknown>((tree, key) => (tree as Tree | undefined)?.[key], catalogue)

/** Keys that a source asks for by their names, as paths from the catalogue's root; one of each list must be there. */
function askedIn(source: string): string[][] {
  const parts = new Map<string, string[]>()
  for (const [, name = '', part = ''] of source.matchAll(
    /(?:const|let) (\w+) = (?:await )?(?:use|get)Translations\(\s*(?:'([\w.]*)')?\s*\)/g,
  ))
    parts.set(name, [...(parts.get(name) ?? []), part])
  return [...parts].flatMap(([name, own]) =>
    [...source.matchAll(new RegExp(`(?<![\\w.])${name}(?:\\.rich|\\.raw)?\\(\\s*'([\\w.]+)'`, 'g'))].map(
      ([, key = '']) => own.map((part) => (part ? `${part}.${key}` : key)),
    ),
  )
}

test('every text that a screen asks for by name is there', () => {
  const asked = globSync('**/*.{ts,tsx}', { cwd: web, exclude: (name) => /^(\.next|node_modules)$/.test(name) })
    .filter((name) => !/\.test\.tsx?$/.test(name))
    .flatMap((name) => askedIn(readFileSync(join(web, name), 'utf8')).map((paths) => ({ name, paths })))
  expect(asked.length).toBeGreaterThan(800)
  expect(asked.filter(({ paths }) => !paths.some((path) => typeof textAt(path) === 'string'))).toEqual([])
})

test('what is looked for is found', () => {
  const source = `const t = useTranslations('account')\nt('title')\nx.t('no')\nt.rich(\n 'never')\nconst all = await getTranslations()\nall('a.b')`
  expect(askedIn(source)).toEqual([['account.title'], ['account.never'], ['a.b']])
  expect([typeof textAt('account.title'), textAt('account.never.was')]).toEqual(['string', undefined])
})
