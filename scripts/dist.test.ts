import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { program, toJavaScript } from './dist.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const manifest = JSON.parse(read('package.json')) as {
  dependencies: Record<string, string>
  optionalDependencies: Record<string, string>
  files: string[]
  bin: Record<string, string>
}

describe('toJavaScript', () => {
  test.each([
    ['an import', `import { a } from './b.ts'`, `import { a } from './b.js'`, ['src/x/b.ts']],
    ['a loaded one', `await import('../c.ts')`, `await import('../c.js')`, ['src/c.ts']],
    ['a worker', `new URL('./w.ts', import.meta.url)`, `new URL('./w.js', import.meta.url)`, ['src/x/w.ts']],
    ['an import of types is gone', `import type { A } from './b.ts'`, '', []],
    ['so is one inside a type', `const a: import('./b.ts').A = 1`, 'const a                     = 1', []],
    [
      'a table',
      `import a from './b.json' with { type: 'json' }`,
      `import a from './b.json' with { type: 'json' }`,
      ['src/x/b.json'],
    ],
    ['a package stays', `import a from 'hono'`, `import a from 'hono'`, []],
    ['a text with the ending stays', `const a = 'b.ts'`, `const a = 'b.ts'`, []],
  ])('%s', (_name, text, code, named) => {
    expect(toJavaScript('src/x/a.ts', text)).toEqual({ code, named })
  })

  test('lines stay where they were', () => {
    expect(toJavaScript('a.ts', 'type A = {\n  b: 1\n}\nthrow 1').code.split('\n')[3]).toBe('throw 1')
  })
})

describe('the program of the package', () => {
  const files = program(
    ['src/processes/main.ts', 'src/processes/app.ts', 'src/processes/engine.ts', 'src/refine/pipeline/worker.ts'],
    read,
  )

  test('is whole: what a file names is there, and nothing names a source', () => {
    expect(files.size).toBeGreaterThan(100)
    for (const [path, code] of files)
      expect([path, /['"]\.{1,2}\/[^'"]*\.tsx?['"]/.exec(code)?.[0]]).toEqual([path, undefined])
  })

  test('holds no screen, no test and nothing of the build', () => {
    for (const path of files.keys())
      expect(path).not.toMatch(/\.(test|cases)\.ts$|\/web\/(app|ui|issues)\/|^(e2e|bench|scripts)\//)
  })

  test('holds the tables as they are', () => {
    const path = 'src/domain/react-messages.json'
    expect(files.get(path)).toBe(read(path))
  })

  test('needs no package but the dependencies', () => {
    const needed = new Set<string>()
    for (const code of files.values())
      for (const [, name = ''] of code.matchAll(
        /(?:from|import\(|^import|createRequire\([^)]*\)\()\s*'((?:@[\w.-]+\/)?\w[\w.-]*)/gm,
      ))
        needed.add(name)
    // express only occurs in the text of the tunnel handler, which users copy.
    needed.delete('express')
    const installed = { ...manifest.dependencies, ...manifest.optionalDependencies }
    expect([...needed].filter((name) => !name.startsWith('node') && !(name in installed))).toEqual(['next'])
    // next comes with the built screens and is resolved from their folder, or from the checkout in development.
    expect(manifest.dependencies).not.toHaveProperty('next')
    expect(manifest.dependencies).not.toHaveProperty('react')
  })
})

test('what package.json wants packed is there, and the command is among it', () => {
  for (const path of manifest.files.filter((file) => file !== 'dist/' && !file.includes('*')))
    expect([path, existsSync(join(root, path))]).toEqual([path, true])
  expect(manifest.files).toContain(manifest.bin.mishap)
})

test('the Node that the package fetches is the one that a checkout has', () => {
  const { optionalDependencies } = JSON.parse(read('packaging/runtime/package.json')) as {
    optionalDependencies: Record<string, string>
  }
  const fetched = [...read('scripts/bootstrap.mjs').matchAll(/': '(node-[\w-]+)@([\d.]+)'/g)].map((found) =>
    found.slice(1, 3),
  )
  expect(Object.fromEntries(fetched)).toEqual(optionalDependencies)
})
