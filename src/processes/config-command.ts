import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import { MishapError } from '../base/errors.ts'
import type { ConfigChange, ConfigPlan } from '../operations/config-apply.ts'
import { isConfigFile } from '../operations/config-files.ts'

/** Everything that is sent to the product at once. */
const filesBytesMax = 6 * 1024 * 1024

/** The files that belong to the configuration, also with the other ending. Others in the folder are not touched. */
const isConfig = (path: string) => isConfigFile(path.replace(/\.yml$/, '.yaml'))

/** The YAML files of a folder, by their path with / between folders. Throws NOT_FOUND, VALIDATION. */
export function readConfigFolder(folder: string): Record<string, string> {
  const files: Record<string, string> = {}
  let names: string[]
  try {
    names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  } catch {
    throw new MishapError('NOT_FOUND', { detail: `There is no folder ${folder}.` })
  }
  let bytes = 0
  for (const name of names.map((path) => path.split(sep).join('/')).sort()) {
    if (!/\.ya?ml$/.test(name)) continue
    const text = readFileSync(join(folder, name), 'utf8')
    bytes += Buffer.byteLength(text)
    if (bytes > filesBytesMax)
      throw new MishapError('VALIDATION', { detail: `The files are over ${filesBytesMax / 1024 / 1024} MiB.` })
    files[name] = text
  }
  if (Object.keys(files).length === 0)
    throw new MishapError('NOT_FOUND', { detail: `${folder} holds no YAML files. mishap export writes them.` })
  return files
}

/**
 * Writes files into a folder, then removes those of an earlier export that are gone. Returns how many it wrote. Throws
 * VALIDATION for a name outside the folder, before it changes anything.
 */
export function writeConfigFolder(folder: string, files: Readonly<Record<string, string>>): number {
  for (const name of Object.keys(files))
    if (!isConfig(name) || !resolve(folder, name).startsWith(resolve(folder) + sep))
      throw new MishapError('VALIDATION', { detail: `${name} is no file of a configuration.` })
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(files)) {
    const path = resolve(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = name.split(sep).join('/')
    if (isConfig(path) && files[path] === undefined) rmSync(join(folder, name))
  }
  return Object.keys(files).length
}

const signs = { create: '+', change: '~', delete: '-' } as const

/** A plan as lines for people. `isDone`: it was applied. */
export function planLines({ changes, unmanaged, notes }: ConfigPlan, isDone: boolean): string[] {
  const count = (action: ConfigChange['action']) => changes.filter((change) => change.action === action).length
  const drifted = changes.filter(({ drift }) => drift).length
  const verb = isDone ? 'Done' : 'Plan'
  return [
    ...changes.flatMap(({ action, key, file, drift, diff }) => [
      `${signs[action]} ${key}${file === '' ? '' : ` (${file})`}${drift ? ' — drift: changed in Mishap since the last apply' : ''}`,
      ...(isDone ? [] : diff.map((line) => `    ${line}`)),
    ]),
    ...notes.map((note) => `! ${note}`),
    ...unmanaged.map((key) => `? ${key}: in no file. mishap apply --prune deletes it.`),
    changes.length === 0
      ? 'No changes. Mishap is what the files say.'
      : `${verb}: ${count('create')} created, ${count('change')} changed, ${count('delete')} deleted; ${drifted} drifted.`,
  ]
}
