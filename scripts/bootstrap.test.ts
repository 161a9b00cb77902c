import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { child, list, read, type Tree } from './tree.ts'

const root = join(import.meta.dirname, '..')
const text = (path: string) => readFileSync(join(root, path), 'utf8')

/** Whether an import or export disappears when types are stripped. */
const isTypesOnly = (node: Tree): boolean => {
  const names = list(node, 'specifiers')
  if (node.importKind === 'type' || node.exportKind === 'type') return true
  return names.length > 0 && names.every((name) => name.importKind === 'type' || name.exportKind === 'type')
}

/** Files of the tree that `path` imports at run time. */
function broughtIn(path: string): string[] {
  return list(read(path, text(path)).root, 'body')
    .filter((node) => !isTypesOnly(node))
    .map((node) => child(node, 'source')?.value)
    .filter((source) => typeof source === 'string' && source.startsWith('.'))
    .map((source) => join(dirname(path), String(source)))
}

test('the screens are built anew when anything changes that is built into them', () => {
  const words = /function build\([\s\S]*?hashOf\(\[([\s\S]*?)\]\)/.exec(text('scripts/bootstrap.mjs'))?.[1] ?? ''
  const watched = [...words.matchAll(/'([^']+)'/g)].map(([, path = '']) => path)
  expect(watched.filter((path) => !existsSync(join(root, path)))).toEqual([])

  const unwatched = new Set<string>()
  const seen = new Set<string>()
  const ahead = globSync('src/web/**/*.{ts,tsx}', { cwd: root, exclude: ['src/web/.next*/**'] }).filter(
    (path) => !/\.(test|cases)\.tsx?$|next-env/.test(path),
  )
  expect(ahead.length).toBeGreaterThan(100)
  for (let path = ahead.pop(); path !== undefined; path = ahead.pop()) {
    if (seen.has(path)) continue
    seen.add(path)
    if (!watched.some((watchedPath) => path === watchedPath || path.startsWith(`${watchedPath}/`))) unwatched.add(path)
    if (/\.tsx?$/.test(path)) ahead.push(...broughtIn(path))
  }
  expect([...unwatched].sort()).toEqual([])
})
