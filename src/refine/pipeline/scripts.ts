import { joinUrl, referenceOf } from '../symbolicate/paths.ts'

/** Which source map a script names: as it says it, and under which address; that is undefined for one in the script itself. */
type NamedMap = { reference: string; url: string | undefined }

/** The map of the script at `url`, by its headers (names in lower case) or its last comment; undefined when it names none. */
export function mapOf(url: string, headers: Readonly<Record<string, string>>, script: string): NamedMap | undefined {
  const reference = headers['sourcemap'] ?? headers['x-sourcemap'] ?? referenceOf(script)
  if (!reference) return undefined
  return { reference, url: reference.startsWith('data:') ? undefined : joinUrl(url, reference) }
}
