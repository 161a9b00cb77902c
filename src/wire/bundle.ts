import { z } from 'zod'
import { bundleEntriesMax } from './upload.ts'

/** One file that a bundle's manifest names. */
export type ManifestFile = {
  entry: string
  type: 'source' | 'minified_source' | 'source_map' | 'indexed_ram_bundle'
  url: string
  /** Names in lower case. */
  headers: Record<string, string>
  /** Lower-case hex with dashes; '' if no header names a debug id. */
  debugId: string
}

export type BundleManifest = {
  files: ManifestFile[]
  /** '' for none. */
  release: string
  dist: string
  /** The bundle's own id as clients wrote it; '' for none. */
  id: string
}

/** Longest of the texts that are kept of a file. */
const urlCharactersMax = 4096
const headerCharactersMax = 4096
const headersMax = 50

/** A manifest has four: itself, its files, one of them, its headers. */
const depthMax = 16
/** Members and elements: the most files with 19 of them each. What JSON.parse makes of more takes hundreds of MB. */
const valuesMax = 20 * bundleEntriesMax

const text = z.string().nullish().catch(undefined)
const head = z.object({ release: text, dist: text, debug_id: text, files: z.custom<object>(isObject) })
const oneFile = z.object({
  type: text,
  url: text,
  path: text,
  headers: z.custom<object>(isObject).optional().catch(undefined),
})

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether JSON is as deep and has as many values as a manifest may have; read without making anything of it. */
export function isBoundedManifest(bytes: Buffer): boolean {
  let depth = 0
  let values = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === 0x22) {
      at = stringEnd(bytes, at + 1)
      if (at < 0) return false
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > depthMax || ++values > valuesMax) return false
    } else if (byte === 0x7d || byte === 0x5d) depth--
    else if (byte === 0x2c && ++values > valuesMax) return false
  }
  return true
}

/** Where the string that begins at `from` has its closing quote; -1 for none. */
function stringEnd(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(0x22, from); at >= 0; at = bytes.indexOf(0x22, at + 1)) {
    let slashes = 0
    while (at - 1 - slashes >= from && bytes[at - 1 - slashes] === 0x5c) slashes++
    if (slashes % 2 === 0) return at
  }
  return -1
}

const types: ReadonlySet<string> = new Set(['source', 'minified_source', 'source_map', 'indexed_ram_bundle'])

/** A debug id as everything here writes it: 32 hex digits with dashes, lower case; '' for anything else. */
export function debugIdOf(value: string): string {
  const hex = value.trim().toLowerCase().replaceAll('-', '')
  // Native ids may have an age behind them.
  const found = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})[0-9a-f]{0,8}$/.exec(hex)
  return found ? found.slice(1, 6).join('-') : ''
}

/** What a file is where the manifest does not say: by its name. */
function typeOf(named: string | null | undefined, name: string): ManifestFile['type'] {
  if (named && types.has(named)) return named as ManifestFile['type']
  if (/\.map$/i.test(name)) return 'source_map'
  return /\.(?:[cm]?js|bundle|jsbundle)$/i.test(name) ? 'minified_source' : 'source'
}

/** Headers with names in lower case; only texts, and as many as a server would send. */
export function readHeaders(given: Readonly<Record<string, unknown>>): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(given).slice(0, headersMax))
    if (typeof value === 'string') headers[name.toLowerCase().slice(0, 200)] = value.slice(0, headerCharactersMax)
  return headers
}

/** Reads manifest.json; undefined when it is no manifest. Never throws. */
export function readManifest(bytes: Buffer): BundleManifest | undefined {
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
  const read = head.safeParse(value)
  if (!read.success) return undefined
  const files: ManifestFile[] = []
  // Not as a record: in what is made of one a file named `__proto__` is no entry.
  for (const [entry, element] of Object.entries(read.data.files)) {
    const said = oneFile.safeParse(element)
    if (!said.success) return undefined
    files.push(fileOf(entry, said.data))
  }
  const { release, dist, debug_id: id } = read.data
  return { files, release: release ?? '', dist: dist ?? '', id: id ?? '' }
}

function fileOf(entry: string, said: z.output<typeof oneFile>): ManifestFile {
  const headers = readHeaders((said.headers ?? {}) as Record<string, unknown>)
  const url = (said.url ?? said.path ?? entry.replace(/^files\/_\/_\//, '~/')).slice(0, urlCharactersMax)
  return { entry, type: typeOf(said.type, entry), url, headers, debugId: debugIdOf(headers['debug-id'] ?? '') }
}

/** The debug id that a script names in its last lines, of which the last one counts; '' for none. */
export function debugIdOfScript(tail: string): string {
  const found = [...tail.matchAll(/\/\/[#@] debugId=([0-9a-fA-F-]{32,36})\s*$/gm)].at(-1)
  return debugIdOf(found?.[1] ?? '')
}

/** The debug id that a source map names in a piece of its text (its beginning or its end); '' for none. */
export const debugIdOfMap = (piece: string): string =>
  debugIdOf(/"(?:debug_id|debugId)"\s*:\s*"([0-9a-fA-F-]{32,45})"/.exec(piece)?.[1] ?? '')
