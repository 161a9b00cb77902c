import { textOf } from '../../../domain/traces/trace-spans.ts'
import { hueOf } from '../../client/op-hue.ts'
import { isHidden, membersOf, type TraceModel } from './model.ts'
import { levelOfPoint } from './point-level.ts'
import type { Rows } from './rows.ts'
import type { Window } from './zoom.ts'

export const rowPx = 24
/** Space left and right of the bars. */
const padPx = { left: 6, right: 14 }
const barTop = 7
const barHeight = 10
/** Width of a character of a label at 11 px, for the choice of its place. */
const characterPx = 6

/** The rail colours of projects, as in `Rail`. */
const rails = ['c1', 'c2', 'c3', 'c6', 'c8'] as const
const tokens = [
  'c1',
  'c2',
  'c3',
  'c4',
  'c6',
  'c7',
  'c8',
  'ink',
  'ink-2',
  'ink-3',
  'line',
  'line-3',
  'surface',
  'error',
  'fatal',
  'warning',
  'info',
  'ok',
  'accent',
] as const
export type Palette = Readonly<Record<(typeof tokens)[number] | 'font', string>>

/** The colours of the theme that an element has now. */
export function paletteOf(element: Element): Palette {
  const style = getComputedStyle(element)
  const colours = Object.fromEntries(tokens.map((token) => [token, style.getPropertyValue(`--${token}`).trim()]))
  return { ...colours, font: `11px ${style.fontFamily}` } as Palette
}

/** The colour of a node's bar. */
export function colourOf(model: TraceModel, palette: Palette, by: 'project' | 'op', node: number): string {
  const { spans, projects } = model.view
  if (node >= model.tree.spanCount || isHidden(model, node)) return palette['line-3']
  if (by === 'op') return palette[hueOf(textOf(spans, 'ops', node)) as 'c1']
  const place = projects[spans.projects[node] ?? 0]?.place ?? 0
  return palette[rails[Math.max(0, place) % rails.length] ?? 'c1']
}

type Canvas = { context: CanvasRenderingContext2D; width: number; height: number }

/** A canvas that is as sharp as the screen, cleared. Undefined where there is none. */
export function prepared(canvas: HTMLCanvasElement, width: number, height: number): Canvas | undefined {
  const context = canvas.getContext('2d')
  if (!context || width <= 0 || height <= 0) return undefined
  const scale = window.devicePixelRatio || 1
  const [across, down] = [Math.round(width * scale), Math.round(height * scale)]
  if (canvas.width !== across || canvas.height !== down) {
    canvas.width = across
    canvas.height = down
  }
  context.setTransform(scale, 0, 0, scale, 0, 0)
  context.clearRect(0, 0, width, height)
  return { context, width, height }
}

/** Where a moment lies on an axis of `width` pixels. */
export const xOf = (window: Window, width: number, us: number): number =>
  padPx.left + ((us - window.fromUs) / (window.toUs - window.fromUs)) * (width - padPx.left - padPx.right)

/** The moment at a place of the axis. */
export const usAt = (window: Window, width: number, x: number): number =>
  window.fromUs + ((x - padPx.left) / (width - padPx.left - padPx.right)) * (window.toUs - window.fromUs)

export type BarsInput = {
  model: TraceModel
  rows: Rows
  window: Window
  palette: Palette
  by: 'project' | 'op'
  duration: (us: number) => string
  /** The first row and the height that its top is above the canvas. */
  firstRow: number
  offsetPx: number
  /** Texts of runs, by the first node. */
  runText: (node: number) => string
}

type Paint = BarsInput & Canvas & { x: (us: number) => number }

/** A label after the bar, inside its end if there is no space, or before it. */
function label({ context, palette, width }: Paint, text: string, [from, to]: [number, number], top: number): void {
  if (to < 0 || from > width) return
  const length = text.length * characterPx
  context.textBaseline = 'middle'
  const middle = top + barTop + barHeight / 2 + 0.5
  if (to + length + 8 < width) {
    context.fillStyle = palette['ink-2']
    context.fillText(text, Math.max(to, 0) + 6, middle)
    return
  }
  const isInside = Math.min(to, width) - Math.max(from, 0) > length + 16
  const left = isInside ? Math.min(to, width) - length - 14 : Math.max(from, 0) - length - 6
  const measured = context.measureText(text).width
  if (isInside) {
    context.globalAlpha = 0.88
    context.fillStyle = palette.surface
    context.fillRect(left - 3, top + barTop - 1, measured + 6, barHeight + 2)
    context.globalAlpha = 1
  }
  context.fillStyle = isInside ? palette.ink : palette['ink-2']
  context.fillText(text, left, middle)
}

function bar({ context, x, width }: Paint, fromUs: number, toUs: number, top: number): [number, number] {
  const [from, to] = [x(fromUs), Math.max(x(toUs), x(fromUs) + 2)]
  const [left, right] = [Math.max(from, -4), Math.min(to, width + 4)]
  if (right > left) {
    context.beginPath()
    context.roundRect(left, top + barTop, right - left, barHeight, 1.5)
    context.fill()
  }
  return [from, to]
}

function critical({ context, model, palette, x, width }: Paint, node: number, top: number): void {
  const parts = model.partsOf.get(node)
  if (!parts) return
  context.fillStyle = palette.ink
  for (const part of parts) {
    const [from, to] = [x(model.path.fromUs[part] ?? 0), x(model.path.toUs[part] ?? 0)]
    if (to < 0 || from > width) continue
    context.fillRect(Math.max(from, 0), top + 19, Math.max(Math.min(to, width) - Math.max(from, 0), 1), 2.5)
  }
}

function nodeRow(paint: Paint, node: number, top: number): void {
  const { context, model, palette, by } = paint
  const { starts, durations } = model.tree
  const [start, length] = [starts[node] ?? 0, durations[node] ?? 0]
  context.fillStyle = colourOf(model, palette, by, node)
  context.globalAlpha = node >= model.tree.spanCount ? 0.35 : 1
  const ends = bar(paint, start, start + length, top)
  context.globalAlpha = 1
  critical(paint, node, top)
  label(paint, paint.duration(length), ends, top)
}

function runRow(paint: Paint, first: number, top: number): void {
  const { context, model, palette, by } = paint
  const run = model.runAt.get(first)
  if (!run) return
  const { starts, durations } = model.tree
  context.fillStyle = colourOf(model, palette, by, first)
  let [last, toUs] = [-10, 0]
  const members = membersOf(model, run)
  for (const node of members) {
    const start = starts[node] ?? 0
    const end = start + (durations[node] ?? 0)
    toUs = Math.max(toUs, end)
    const [from, to] = [paint.x(start), paint.x(end)]
    // Ticks that would touch are one: a run can have 100,000 members.
    if (from < last + 1 && to < last + 1) continue
    const left = Math.max(from, last + 1)
    context.fillRect(left, top + barTop, Math.max(to - left, 1), barHeight)
    last = Math.max(left + 1, to)
  }
  if (members.length <= 200) for (const node of members) critical(paint, node, top)
  label(paint, paint.runText(first), [paint.x(starts[first] ?? 0), paint.x(toUs)], top)
}

function gapRow({ context, model, palette, x }: Paint, kind: 'gap' | 'endGap', ref: number, top: number): void {
  const gap = (kind === 'gap' ? model.gapsBefore : model.gapsAtEnd).get(ref)
  if (!gap) return
  const [from, to] = [x(gap.fromUs), x(gap.toUs)]
  context.strokeStyle = palette['line-3']
  context.setLineDash([3, 2])
  context.strokeRect(from + 0.5, top + barTop + 0.5, Math.max(to - from - 1, 1), barHeight - 1)
  context.setLineDash([])
}

function pointRow({ context, model, palette, x }: Paint, ref: number, top: number): void {
  const point = model.points[ref]
  if (!point) return
  const at = x(point.atUs)
  const level = levelOfPoint(model, point)
  context.fillStyle = palette[level]
  context.fillRect(at - 0.5, top, 1, rowPx)
  context.beginPath()
  if (level === 'fatal') context.rect(at - 4, top + 8, 8, 8)
  else if (level === 'warning') {
    context.moveTo(at, top + 7)
    context.lineTo(at + 5, top + 16)
    context.lineTo(at - 5, top + 16)
  } else if (level === 'info') {
    context.moveTo(at, top + 7)
    context.lineTo(at + 5, top + 12)
    context.lineTo(at, top + 17)
    context.lineTo(at - 5, top + 12)
  } else if (level === 'ok') {
    context.moveTo(at - 5, top + 12)
    context.lineTo(at - 2, top + 16)
    context.lineTo(at + 5, top + 8)
    context.lineTo(at - 2, top + 13)
  } else context.arc(at, top + 12, 4, 0, Math.PI * 2)
  context.fill()
}

/** Paints the bars of the visible rows. */
export function paintBars(canvas: HTMLCanvasElement, width: number, height: number, input: BarsInput): void {
  const made = prepared(canvas, width, height)
  if (!made) return
  const paint: Paint = { ...input, ...made, x: (us) => xOf(input.window, width, us) }
  made.context.font = input.palette.font
  const { kinds, refs } = input.rows
  for (let row = input.firstRow; row < kinds.length; row++) {
    const top = (row - input.firstRow) * rowPx - input.offsetPx
    if (top > height) break
    const [kind, ref] = [kinds[row], refs[row] ?? 0]
    if (kind === 'node') nodeRow(paint, ref, top)
    else if (kind === 'run') runRow(paint, ref, top)
    else if (kind === 'gap' || kind === 'endGap') gapRow(paint, kind, ref, top)
    else if (kind === 'point') pointRow(paint, ref, top)
  }
}

const levelPx = 6
const levelsMax = 9

/** Paints the minimap: every span as a line at its depth, errors as lines over all of it. */
export function paintMinimap(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
  { model, palette, by, whole }: { model: TraceModel; palette: Palette; by: 'project' | 'op'; whole: Window },
): void {
  const made = prepared(canvas, width, height)
  if (!made) return
  const { context } = made
  const { tree } = model
  const x = (us: number) => ((us - whole.fromUs) / (whole.toUs - whole.fromUs)) * width
  // The last pixel that is painted on each level: of 200,000 spans most lie on a pixel that already is.
  const painted = new Float64Array(levelsMax).fill(-1)
  for (const node of tree.order) {
    if (node >= tree.spanCount) continue
    const level = Math.min(tree.depths[node] ?? 0, levelsMax - 1)
    const from = x(tree.starts[node] ?? 0)
    const to = Math.max(x((tree.starts[node] ?? 0) + (tree.durations[node] ?? 0)), from + 1.5)
    if (to <= (painted[level] ?? -1)) continue
    context.fillStyle = colourOf(model, palette, by, node)
    context.fillRect(from, 4 + level * levelPx, to - from, 4)
    painted[level] = to
  }
  context.fillStyle = palette.error
  for (const point of model.points) if (point.kind === 'error') context.fillRect(x(point.atUs) - 0.75, 0, 1.5, height)
}
