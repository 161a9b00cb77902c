import type { ArtifactFile } from '../../store/meta/artifacts/artifacts.ts'
import { object, own } from '../pipeline/value.ts'

/** A snippet that names a debug id is 385 characters long. */
const lineMax = 1000

/**
 * A script and its map as they were deployed. Bundler plugins upload a copy, named by its debug id. Where the bundler
 * rewrote the quotes of the plugin's snippet (Vite 8 does), the uploader (`sentry` 0.49) does not know that again and puts a
 * second one before the copy, as a line of its own that no browser has ever seen: it is taken off both.
 */
export function asDeployed(
  file: Pick<ArtifactFile, 'url' | 'debugId'>,
  script: string,
  map: unknown,
): { script: string; map: unknown } {
  const as = { script, map }
  const end = script.slice(0, lineMax).indexOf('\n')
  const name = new RegExp(`/${file.debugId}-\\d+\\.[cm]?js$`)
  if (file.debugId === '' || end < 0 || !name.test(file.url)) return as
  const mark = `sentry-dbid-${file.debugId}`
  if (!script.slice(0, end).includes(mark) || !script.includes(mark, end)) return as
  const root = object(map)
  const mappings = root && own(root, 'mappings')
  // The line has no segment: else it is one of the bundler's own.
  if (typeof mappings !== 'string' || !mappings.startsWith(';')) return as
  return { script: script.slice(end + 1), map: { ...root, mappings: mappings.slice(1) } }
}
