import { joinUrl, referenceOf } from '../symbolicate/paths.ts'

/** The source map that a script names: the reference and its absolute URL, which is undefined for an inline map. */
type NamedMap = { reference: string; url: string | undefined }

/** The map that the script at `url` names in its headers (lower-case names) or last comment, if any. */
export function mapOf(url: string, headers: Readonly<Record<string, string>>, script: string): NamedMap | undefined {
  const reference = headers['sourcemap'] ?? headers['x-sourcemap'] ?? referenceOf(script)
  if (!reference) return undefined
  return { reference, url: reference.startsWith('data:') ? undefined : joinUrl(url, reference) }
}
