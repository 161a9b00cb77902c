import type { FlatMap } from '../symbolicate/flat.ts'
import { linesOf } from '../symbolicate/flat.ts'
import { openView } from '../symbolicate/view.ts'
import type { Spot } from './judge.ts'

/** Makes a function that looks up positions in a flat map. Line and column count from 1, as in events. */
export function spotter(flat: FlatMap): (line: number, column: number) => Spot {
  const view = openView(flat)
  const { files } = flat
  const script = files.unit.length - 1
  const lines = files.unit[script] ? linesOf(files, script) : undefined
  return (line, column) => {
    const start = lines?.[line - 1]
    const end = lines?.[line]
    const beyond = lines !== undefined && (start === undefined || end === undefined || column - 1 > end - start)
    const original = beyond ? undefined : view.original(line - 1, column - 1)
    if (!original) return { beyond, source: undefined }
    const { source, line: sourceLine, column: sourceColumn } = original
    const text = !files.unit[source.file]
      ? 'missing'
      : view.context(source.file, sourceLine, sourceColumn)
        ? 'there'
        : 'short'
    return { beyond, source: { path: source.path ?? '', line: sourceLine + 1, text } }
  }
}

/** The number of sources in a map, and how many have no text. Sources of libraries and tools do not count. */
export function sourcesOf({ files, sources }: FlatMap): { all: number; missing: number; first: string } {
  const names = Buffer.from(sources.bytes.buffer)
  const counted = { all: 0, missing: 0, first: '' }
  for (let at = 0; at + 1 < files.unit.length; at++) {
    const name = names.toString('utf8', sources.at[at] ?? 0, sources.at[at + 1] ?? 0)
    if (/(?:^|[/\\])node_modules[/\\]|\0/.test(name)) continue
    counted.all++
    if (files.unit[at]) continue
    counted.missing++
    counted.first ||= name
  }
  return counted
}
