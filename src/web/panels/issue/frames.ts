import type { RestException, RestFrame, RestThread } from '../../../contract/events.ts'

export type FrameMode = 'app' | 'all'

/** An entry in the list of frames: one frame, or a folded run of library frames. */
export type FrameRun =
  | { kind: 'frame'; frame: RestFrame; index: number }
  | { kind: 'library'; frames: { frame: RestFrame; index: number }[]; names: string[] }

/**
 * The library that a frame belongs to, for people: the npm package, the Python distribution, `node` for Node's own
 * modules; the first part of the module otherwise; undefined when nothing tells.
 */
export function libraryOf(frame: RestFrame): string | undefined {
  const path = frame.absPath ?? frame.filename ?? ''
  const npm = [...path.matchAll(/node_modules\/(?:\.pnpm\/[^/]+\/node_modules\/)?((?:@[^/]+\/)?[^/]+)/g)].at(-1)?.[1]
  if (npm) return npm
  const python = /(?:site|dist)-packages\/([^/]+)/.exec(path)?.[1]
  if (python) return python.replace(/\.py$/, '')
  if (/^node:|^internal\//.test(path) || /^node:/.test(frame.filename ?? '')) return 'node'
  if (/\/lib\/python[\d.]+\//.test(path)) return 'python'
  if (/_next\/static|next\/dist/.test(path)) return 'next'
  if (frame.package) return frame.package.split('/').at(-1)
  return frame.module?.split(/[./]/)[0] || undefined
}

/**
 * Frames in the order of the screen: the newest call first. Mode 'app' folds runs of library frames; without any
 * frame of the application nothing is folded, as there would be nothing to see. `index` is the place in `frames`.
 */
export function runsOf(frames: readonly RestFrame[], mode: FrameMode): FrameRun[] {
  const numbered = frames.map((frame, index) => ({ frame, index })).reverse()
  const runs: FrameRun[] = []
  const fold = mode === 'app' && frames.some((frame) => frame.inApp)
  for (const item of numbered) {
    if (!fold || item.frame.inApp) {
      runs.push({ kind: 'frame', ...item })
      continue
    }
    const last = runs.at(-1)
    const name = libraryOf(item.frame)
    if (last?.kind === 'library') {
      last.frames.push(item)
      if (name && !last.names.includes(name)) last.names.push(name)
    } else runs.push({ kind: 'library', frames: [item], names: name ? [name] : [] })
  }
  return runs
}

/** The frame that is open at first: the newest one of the application, else the newest with source, else the newest. */
export function firstOpen(frames: readonly RestFrame[]): number {
  for (let at = frames.length - 1; at >= 0; at--) if (frames[at]?.inApp) return at
  for (let at = frames.length - 1; at >= 0; at--) if (frames[at]?.context.length) return at
  return frames.length - 1
}

/** `file:line:column` as far as it is known; the whole path when only that was sent; '' when nothing was. */
export function placeOf(frame: RestFrame): string {
  const file = frame.filename ?? frame.absPath ?? frame.module ?? frame.package ?? ''
  if (frame.lineNo === null) return frame.instructionAddr && !file ? frame.instructionAddr : file
  return `${file}:${frame.lineNo}${frame.colNo === null ? '' : `:${frame.colNo}`}`
}

/** The stack trace as a runtime would print it: newest call first, one frame a line. */
export function rawTrace(exception: Pick<RestException, 'type' | 'value'>, frames: readonly RestFrame[]): string {
  const head = [exception.type, exception.value].filter(Boolean).join(': ')
  const lines = [...frames].reverse().map((frame) => {
    const place = placeOf(frame) || '<unknown>'
    const name = frame.rawFunction ?? frame.function
    return name ? `    at ${name} (${place})` : `    at ${place}`
  })
  return [head || 'Error', ...lines].join('\n')
}

/** Exceptions as the screen shows them: the thrown one first, then its causes; `index` is the place in the payload. */
export function chainOf(values: readonly RestException[]): { exception: RestException; index: number }[] {
  return values.map((exception, index) => ({ exception, index })).reverse()
}

/** Threads: the crashed thread first, then the current thread, then the others in the order sent. */
export function threadsOf(threads: readonly RestThread[]): RestThread[] {
  const rank = (thread: RestThread) => (thread.crashed ? 0 : thread.current ? 1 : 2)
  return [...threads].sort((a, b) => rank(a) - rank(b))
}
