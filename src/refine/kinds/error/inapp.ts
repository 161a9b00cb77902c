import type { NormalEvent, NormalFrame, NormalStacktrace } from '../../../domain/event.ts'
import type { Draft } from '../../pipeline/draft.ts'

/** All stack traces of an event except the raw ones. */
export function stacktracesOf(event: NormalEvent): NormalStacktrace[] {
  const out: NormalStacktrace[] = []
  for (const exception of event.exception?.values ?? []) if (exception.stacktrace) out.push(exception.stacktrace)
  for (const thread of event.threads?.values ?? []) if (thread.stacktrace) out.push(thread.stacktrace)
  if (event.stacktrace) out.push(event.stacktrace)
  return out
}

const foreign = /(?:^|[/\\])(?:node_modules|site-packages|dist-packages|bower_components)[/\\]|^node:|^internal\/|\/~\//

/** Sets in_app of every frame: the SDK's value, except for sources that are known to be foreign or own. */
export function inApp({ event }: Draft): void {
  const raw = (event.exception?.values ?? []).flatMap((exception) => exception.raw_stacktrace ?? [])
  for (const stacktrace of [...stacktracesOf(event), ...raw]) {
    for (const frame of stacktrace.frames) decideOf(frame, frame.platform ?? event.platform)
  }
}

function decideOf(frame: NormalFrame, platform: string): void {
  const sentInApp: boolean | undefined = frame.in_app
  frame.in_app = decide(frame, platform)
  const isScript = platform === 'javascript' || platform === 'node'
  if (sentInApp === undefined && isScript && !frame.data?.symbolicated) frame.in_app_unsaid = true
}

function decide(frame: NormalFrame, platform: string): boolean {
  const sentInApp: boolean | undefined = frame.in_app
  const path = frame.abs_path ?? frame.filename ?? ''
  if (platform === 'javascript' || platform === 'node') {
    if (/^(?:webpack|app|file):/.test(path) || path.startsWith('./')) {
      if (foreign.test(path)) return false
      if (sentInApp === undefined) return /^(?:app:|webpack:\/\/[^/]*\/\.\/)|^\.\//.test(path)
    }
  }
  return sentInApp ?? false
}
