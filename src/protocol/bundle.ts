import { z } from 'zod'

/** One file that a bundle's manifest names. */
export type ManifestFile = {
  entry: string
  type: 'source' | 'minified_source' | 'source_map' | 'indexed_ram_bundle'
  url: string
  /** Names in lower case. */
  headers: Record<string, string>
  /** Lower-case hex with dashes; '' where no header names one. */
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

const text = z.string().nullish().catch(undefined)
const manifest = z.object({
  release: text,
  dist: text,
  debug_id: text,
  files: z.record(
    z.string(),
    z.object({
      type: text,
      url: text,
      path: text,
      headers: z.record(z.string(), z.unknown()).nullish().catch(undefined),
    }),
  ),
})

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
  const read = manifest.safeParse(value)
  if (!read.success) return undefined
  const files = Object.entries(read.data.files).map(([entry, one]): ManifestFile => {
    const headers = readHeaders(one.headers ?? {})
    const url = (one.url ?? one.path ?? entry.replace(/^files\/_\/_\//, '~/')).slice(0, urlCharactersMax)
    return { entry, type: typeOf(one.type, entry), url, headers, debugId: debugIdOf(headers['debug-id'] ?? '') }
  })
  const { release, dist, debug_id: id } = read.data
  return { files, release: release ?? '', dist: dist ?? '', id: id ?? '' }
}

/** The debug id that a script names in its last lines, of which the last one counts; '' for none. */
export function debugIdOfScript(tail: string): string {
  const found = [...tail.matchAll(/\/\/[#@] debugId=([0-9a-fA-F-]{32,36})\s*$/gm)].at(-1)
  return debugIdOf(found?.[1] ?? '')
}

/** The debug id that a source map names in a piece of its text (its beginning or its end); '' for none. */
export const debugIdOfMap = (piece: string): string =>
  debugIdOf(/"(?:debug_id|debugId)"\s*:\s*"([0-9a-fA-F-]{32,45})"/.exec(piece)?.[1] ?? '')
