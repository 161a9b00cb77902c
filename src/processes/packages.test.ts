import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Loaded when they are first used (decision 49). One import that is not deferred brings a package back into each start. */
const rarelyUsed = [
  '@gitbeaker/core',
  '@gitbeaker/requester-utils',
  '@octokit/request',
  '@octokit/request-error',
  '@zxcvbn-ts/language-common',
  'hyparquet-writer',
  'nodemailer',
  'pg',
  'tar',
  'web-push',
]

/** What a file loads with itself: neither types nor `import()`. */
const loadedBy = (text: string): string[] =>
  [...text.matchAll(/^(?:import|export)\s(?!type\s)(?:[^'";]*?\sfrom\s)?'([^']+)'/gm)].map(([, from = '']) => from)

/** The packages that a process has after its start. */
function packagesOf(start: string): Set<string> {
  const packages = new Set<string>()
  const seen = new Set([start])
  for (const path of seen) {
    if (!path.endsWith('.ts')) continue
    for (const from of loadedBy(readFileSync(join(root, path), 'utf8'))) {
      if (from.startsWith('.')) seen.add(join(dirname(path), from))
      else packages.add(from)
    }
  }
  return packages
}

test('what counts as loaded', () => {
  const text = [
    "import a, { b } from 'one'",
    "import {\n  c,\n} from './two.ts'",
    "import type { D } from 'three'",
    "export { e } from 'four'",
    "import 'five'",
    "const f = await import('six')",
  ].join('\n')
  expect(loadedBy(text)).toEqual(['one', './two.ts', 'four', 'five'])
})

test.each(['app', 'server', 'main', 'engine'])('process %s starts without packages that are rarely used', (name) => {
  const packages = packagesOf(`src/processes/${name}.ts`)
  expect(rarelyUsed.filter((item) => packages.has(item))).toEqual([])
})

test('a command starts without the packages of the server', () => {
  const packages = [...packagesOf('src/processes/main.ts')].filter((item) => !item.startsWith('node:'))
  expect(packages).toEqual(['ipaddr.js'])
})

test('the start of process app is followed to its packages', () => {
  expect([...packagesOf('src/processes/app.ts')]).toEqual(
    expect.arrayContaining(['better-auth', 'kysely', 'zod', '@clickhouse/client']),
  )
})
