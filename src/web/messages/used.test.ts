import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

type Tree = { [key: string]: string | Tree }

// Keys are not type-checked. A key that is missing in its part of the catalogue appears on screen as its name.

const web = join(import.meta.dirname, '..')
const read = (name: string): Tree => JSON.parse(readFileSync(join(web, 'messages', name), 'utf8')) as Tree
/** The same structure as in request.ts: each file under its own name, except status.en.json. */
const catalogue: Tree = { ...read('en.json'), operation: read('status.en.json') }
for (const name of globSync('*.en.json', { cwd: join(web, 'messages') }))
  if (name !== 'status.en.json') catalogue[name.replace('.en.json', '')] = read(name)
const textAt = (path: string): unknown =>
  path.split('.').reduce<unknown>((tree, key) => (tree as Tree | undefined)?.[key], catalogue)

/** The text keys that a source uses, as paths from the catalogue's root. One path of each list must exist. */
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
