import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { MishapError } from '../base/errors.ts'

/**
 * Throws START_NO_ENGINE if the library of the embedded events store is not installed. `npm install --omit=optional`
 * leaves it out. The engine would otherwise exit after each start, and events would wait forever. `from`: the file or
 * URL whose packages are searched.
 */
export function demandEngineLibrary(from: string = import.meta.url): void {
  const chdb = createRequire(from).resolve('chdb/package.json')
  const { optionalDependencies = {} } = JSON.parse(readFileSync(chdb, 'utf8')) as {
    optionalDependencies?: Record<string, string>
  }
  const { resolve } = createRequire(chdb)
  const isInstalled = (name: string): boolean => {
    try {
      return resolve(name) !== ''
    } catch {
      return false
    }
  }
  if (!Object.keys(optionalDependencies).some(isInstalled))
    throw new MishapError('START_NO_ENGINE', { detail: 'The library of the embedded events store is not installed.' })
}
