import { textOf } from '../../../domain/traces/trace-spans.ts'
import type { TraceModel } from './model.ts'
import { colourOf, type Palette, prepared, xOf } from './paint.ts'
import type { Window } from './zoom.ts'

export const flamePx = 20

/** The nodes of each level by start, so that a level is searched and painted without the others. */
export function levelsOf({ tree }: TraceModel): Int32Array[] {
  const counts: number[] = []
  for (const node of tree.order) {
    const depth = tree.depths[node] ?? 0
    counts[depth] = (counts[depth] ?? 0) + 1
  }
  const levels = Array.from(counts, (count) => new Int32Array(count ?? 0))
  const filled = new Int32Array(levels.length)
  for (const node of tree.order) {
    const depth = tree.depths[node] ?? 0
    const at = filled[depth] ?? 0
    const level = levels[depth]
    if (level) level[at] = node
    filled[depth] = at + 1
  }
  return levels
}

type FlameInput = {
  model: TraceModel
  levels: readonly Int32Array[]
  window: Window
  palette: Palette
  by: 'project' | 'op'
  scrollPx: number
  selected: number
}

const nameFrom = 40

/** Paints the visible levels: one bar for each span that is at least a third of a pixel wide. */
export function paintFlame(canvas: HTMLCanvasElement, width: number, height: number, input: FlameInput): void {
  const made = prepared(canvas, width, height)
  if (!made) return
  const { context } = made
  const { model, levels, window, palette, by, scrollPx, selected } = input
  const { tree, view } = model
  context.font = palette.font
  context.textBaseline = 'middle'
  const first = Math.floor(scrollPx / flamePx)
  for (let depth = first; depth < levels.length; depth++) {
    const top = depth * flamePx - scrollPx
    if (top > height) break
    let painted = -1
    for (const node of levels[depth] ?? []) {
      const from = Math.max(xOf(window, width, tree.starts[node] ?? 0), 0)
      const end = xOf(window, width, (tree.starts[node] ?? 0) + (tree.durations[node] ?? 0))
      const to = Math.min(Math.max(end, from + 0.7), width)
      if (end < 0 || from > width || to - painted < 0.3) continue
      context.fillStyle = colourOf(model, palette, by, node)
      context.globalAlpha = node === selected ? 1 : 0.5
      context.fillRect(from, top + 1, Math.max(to - from - 0.5, 0.5), flamePx - 2)
      context.globalAlpha = 1
      painted = to
      if (to - from < nameFrom) continue
      const text = `${textOf(view.spans, 'ops', node)} ${textOf(view.spans, 'names', node)}`
      context.fillStyle = palette.ink
      context.fillText(text.slice(0, Math.floor((to - from - 8) / 6)), from + 4, top + flamePx / 2 + 0.5)
    }
  }
}

/** The node at a place of the flame view; undefined where there is none. */
export function flameAt(
  { model, levels, window }: Pick<FlameInput, 'model' | 'levels' | 'window'>,
  width: number,
  x: number,
  y: number,
): number | undefined {
  const { tree } = model
  return levels[Math.floor(y / flamePx)]?.findLast((node) => {
    const from = xOf(window, width, tree.starts[node] ?? 0)
    const to = xOf(window, width, (tree.starts[node] ?? 0) + (tree.durations[node] ?? 0))
    return x >= from - 1 && x <= Math.max(to, from + 2) + 1
  })
}
