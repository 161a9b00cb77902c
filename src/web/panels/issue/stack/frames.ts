import type { RestException, RestFrame, RestThread } from '../../../../contract/events.ts'

export type FrameMode = 'app' | 'all'

/** An entry in the list of frames: one frame, or a collapsed run of library frames. */
export type FrameRun =
  | { kind: 'frame'; frame: RestFrame; index: number }
  | { kind: 'library'; frames: { frame: RestFrame; index: number }[]; names: string[] }

/**
 * The library of a frame, for display: the npm package, the Python distribution, `node` for Node's own modules, else
 * the first part of the module. Undefined when unknown.
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
 * Frames in display order: newest call first. Mode 'app' collapses runs of library frames, unless the stack has no
 * application frame: then nothing would be left to see. `index` is the position in `frames`.
 */
export function runsOf(frames: readonly RestFrame[], mode: FrameMode): FrameRun[] {
  const numbered = frames.map((frame, index) => ({ frame, index })).reverse()
  const runs: FrameRun[] = []
  const fold = mode === 'app' && frames.some((frame) => frame.inApp)
  for (const numberedFrame of numbered) {
    if (!fold || numberedFrame.frame.inApp) {
      runs.push({ kind: 'frame', ...numberedFrame })
      continue
    }
    const last = runs.at(-1)
    const name = libraryOf(numberedFrame.frame)
    if (last?.kind === 'library') {
      last.frames.push(numberedFrame)
      if (name && !last.names.includes(name)) last.names.push(name)
    } else runs.push({ kind: 'library', frames: [numberedFrame], names: name ? [name] : [] })
  }
  return runs
}

/** Index of the frame to open first: the newest of the application, else the newest with source, else the newest. */
export function firstOpen(frames: readonly RestFrame[]): number {
  for (let at = frames.length - 1; at >= 0; at--) if (frames[at]?.inApp) return at
  for (let at = frames.length - 1; at >= 0; at--) if (frames[at]?.context.length) return at
  return frames.length - 1
}

/** `file:line:column` as far as known; the instruction address if nothing else is known; '' otherwise. */
export function frameLocation(frame: RestFrame): string {
  const file = frame.filename ?? frame.absPath ?? frame.module ?? frame.package ?? ''
  if (frame.lineNo === null) return frame.instructionAddr && !file ? frame.instructionAddr : file
  return `${file}:${frame.lineNo}${frame.colNo === null ? '' : `:${frame.colNo}`}`
}

/** The stack trace as a runtime prints it: newest call first, one frame per line. */
export function rawTrace(exception: Pick<RestException, 'type' | 'value'>, frames: readonly RestFrame[]): string {
  const head = [exception.type, exception.value].filter(Boolean).join(': ')
  const lines = [...frames].reverse().map((frame) => {
    const location = frameLocation(frame) || '<unknown>'
    const name = frame.rawFunction ?? frame.function
    return name ? `    at ${name} (${location})` : `    at ${location}`
  })
  return [head || 'Error', ...lines].join('\n')
}

/** Exceptions in display order: the thrown one first, then its causes. `index` is the position in the payload. */
export function chainOf(values: readonly RestException[]): { exception: RestException; index: number }[] {
  return values.map((exception, index) => ({ exception, index })).reverse()
}

/** Threads in display order: the crashed thread, the current thread, then the others in payload order. */
export function threadsOf(threads: readonly RestThread[]): RestThread[] {
  const rank = (thread: RestThread) => (thread.crashed ? 0 : thread.current ? 1 : 2)
  return [...threads].sort((a, b) => rank(a) - rank(b))
}

/** A frame as text, to paste it somewhere: its location, and its lines with the failing one marked. */
export function frameText(frame: RestFrame): string {
  const head = `${frame.function ?? ''} ${frameLocation(frame)}`.trim()
  const lines = frame.context.map(
    ([number, text]) => `${number === frame.lineNo ? '>' : ' '} ${String(number).padStart(5)} ${text}`,
  )
  return [head, ...lines].join('\n')
}

/** Frames of the application, and all frames, of the thrown exception. */
export function frameCounts(values: readonly RestException[]): { own: number; all: number } {
  const frames = values.at(-1)?.stacktrace?.frames ?? []
  return { own: frames.filter((frame) => frame.inApp).length, all: frames.length }
}
