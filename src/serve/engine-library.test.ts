import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { demandEngineLibrary } from './engine-library.ts'

const made: string[] = []
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** A folder with chDB and the libraries of these platforms. Returns the path of a file in it. */
function installed(platforms: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'mishap-library-'))
  made.push(folder)
  const packages: Record<string, object> = {
    chdb: { optionalDependencies: { '@chdb/lib-one': '1.0.0', '@chdb/lib-two': '1.0.0' } },
    ...Object.fromEntries(platforms.map((name) => [`@chdb/lib-${name}`, { main: 'index.js' }])),
  }
  for (const [name, json] of Object.entries(packages)) {
    mkdirSync(join(folder, 'node_modules', name), { recursive: true })
    writeFileSync(join(folder, 'node_modules', name, 'package.json'), JSON.stringify(json))
    writeFileSync(join(folder, 'node_modules', name, 'index.js'), '')
  }
  return join(folder, 'file.js')
}

test('the library of one platform is enough', () => {
  expect(() => demandEngineLibrary(installed(['two']))).not.toThrow()
  expect(() => demandEngineLibrary()).not.toThrow()
})

test('without a library the start ends with its reason', () => {
  expect(() => demandEngineLibrary(installed([]))).toThrow(expect.objectContaining({ code: 'START_NO_ENGINE' }))
})
