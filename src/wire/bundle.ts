import { z } from 'zod'
import { bundleEntriesMax } from './upload.ts'

/** One file in a bundle's manifest. */
export type ManifestFile = {
  entry: string
  type: 'source' | 'minified_source' | 'source_map' | 'indexed_ram_bundle'
  url: string
  /** Header names are in lower case. */
  headers: Record<string, string>
  /** Lower-case hex with dashes; '' if no header names a debug id. */
  debugId: string
}

export type BundleManifest = {
  files: ManifestFile[]
  /** '' if absent. */
  release: string
  dist: string
  /** The bundle's id as sent; '' if absent. */
  id: string
}

/** Character limits of a file's stored texts. */
const urlCharactersMax = 4096
const headerCharactersMax = 4096
const headersMax = 50

/** Depth limit. A manifest has four levels: itself, its files, one of them, its headers. */
const depthMax = 16
/** Limit of members and elements: the most files with 19 of them each. JSON.parse needs hundreds of MB for more. */
const valuesMax = 20 * bundleEntriesMax

const text = z.string().nullish().catch(undefined)
const head = z.object({ release: text, dist: text, debug_id: text, files: z.custom<object>(isObject) })
const fileShape = z.object({
  type: text,
  url: text,
  path: text,
  headers: z.custom<object>(isObject).optional().catch(undefined),
})

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns whether JSON is within a manifest's limits of depth and values, without parsing it. */
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

/** Returns the position of the closing quote of the string that starts at `from`; -1 if there is none. */
function stringEnd(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(0x22, from); at >= 0; at = bytes.indexOf(0x22, at + 1)) {
    let slashes = 0
    while (at - 1 - slashes >= from && bytes[at - 1 - slashes] === 0x5c) slashes++
    if (slashes % 2 === 0) return at
  }
  return -1
}

const types: ReadonlySet<string> = new Set(['source', 'minified_source', 'source_map', 'indexed_ram_bundle'])

/** Normalizes a debug id to 32 lower-case hex digits with dashes; '' for anything else. */
export function debugIdOf(value: string): string {
  const hex = value.trim().toLowerCase().replaceAll('-', '')
  // Native ids can end with an age.
  const found = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})[0-9a-f]{0,8}$/.exec(hex)
  return found ? found.slice(1, 6).join('-') : ''
}

/** Returns the type of a file. Without a type in the manifest it depends on the name. */
function typeOf(named: string | null | undefined, name: string): ManifestFile['type'] {
  if (named && types.has(named)) return named as ManifestFile['type']
  if (/\.map$/i.test(name)) return 'source_map'
  return /\.(?:[cm]?js|bundle|jsbundle)$/i.test(name) ? 'minified_source' : 'source'
}

/** Returns headers with lower-case names: only texts, and a limited number. */
export function readHeaders(source: Readonly<Record<string, unknown>>): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(source).slice(0, headersMax))
    if (typeof value === 'string') headers[name.toLowerCase().slice(0, 200)] = value.slice(0, headerCharactersMax)
  return headers
}

/** Parses manifest.json; undefined if invalid. Never throws. */
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
  // Not parsed as a record, because zod would drop a file named `__proto__`.
  for (const [entry, element] of Object.entries(read.data.files)) {
    const parsed = fileShape.safeParse(element)
    if (!parsed.success) return undefined
    files.push(fileOf(entry, parsed.data))
  }
  const { release, dist, debug_id: id } = read.data
  return { files, release: release ?? '', dist: dist ?? '', id: id ?? '' }
}

function fileOf(path: string, parsed: z.output<typeof fileShape>): ManifestFile {
  const headers = readHeaders((parsed.headers ?? {}) as Record<string, unknown>)
  const url = (parsed.url ?? parsed.path ?? path.replace(/^files\/_\/_\//, '~/')).slice(0, urlCharactersMax)
  return { entry: path, type: typeOf(parsed.type, path), url, headers, debugId: debugIdOf(headers['debug-id'] ?? '') }
}

/** Returns the last debug id in a script's last lines; '' if there is none. */
export function debugIdOfScript(tail: string): string {
  const found = [...tail.matchAll(/\/\/[#@] debugId=([0-9a-fA-F-]{32,36})\s*$/gm)].at(-1)
  return debugIdOf(found?.[1] ?? '')
}

/** Returns the debug id in a piece of a source map's text (its start or its end); '' if there is none. */
export const debugIdOfMap = (mapText: string): string =>
  debugIdOf(/"(?:debug_id|debugId)"\s*:\s*"([0-9a-fA-F-]{32,45})"/.exec(mapText)?.[1] ?? '')
