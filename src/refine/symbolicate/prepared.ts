import type { ArtifactFile } from '../../store/meta/artifacts/artifacts.ts'
import { object, own } from '../pipeline/value.ts'

/** Characters searched for the first line. A snippet with a debug id has 385. */
const lineMax = 1000

/**
 * A script and its map as deployed. Bundler plugins upload a copy named by its debug id. If the bundler rewrites the
 * quotes of the plugin's snippet (as Vite 8 does), the uploader (`sentry` 0.49) does not recognize it. It then puts a
 * second snippet in a line of its own before the copy. No browser saw that line, so it is removed from both.
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
  // The added line has no segment. A line with segments is the bundler's own.
  if (typeof mappings !== 'string' || !mappings.startsWith(';')) return as
  return { script: script.slice(end + 1), map: { ...root, mappings: mappings.slice(1) } }
}
