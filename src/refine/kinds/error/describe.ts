import type { Findings, NormalEvent, NormalException, NormalFrame, NormalStacktrace } from '../../../domain/event.ts'
import { mainException } from '../../fingerprint/main.ts'
import type { Draft } from '../../pipeline/draft.ts'
import { own, scalar } from '../../pipeline/value.ts'
import { cspDetails, sentence } from '../security/security.ts'

const titleMax = 256

/** Sets title, culprit, metadata, kind, and whether the error was unhandled. */
export function describe(draft: Draft): void {
  const { event, received } = draft
  const findings = event.findings
  const main = mainException(draft)
  const crash = crashFrame(main?.stacktrace ?? crashedStack(event))
  findings.kind = event.csp ? 'csp' : main ? 'error' : 'message'
  findings.unhandled = (event.exception?.values ?? []).some((exception) => exception.mechanism?.handled === false)
  if (main) [findings.title, findings.metadata] = describeException(main, crash)
  else {
    findings.title =
      firstLine(event.csp ? reportTitle(event) : (event.logentry?.formatted ?? event.logentry?.message)) ||
      '<unlabeled event>'
    findings.metadata = {}
  }
  findings.culprit = culprit(event, main, crash, scalar(own(received, 'culprit')))
    .slice(0, 200)
    .toWellFormed()
}

const isReport = (type: NormalEvent['type']) => type !== 'error' && type !== 'default' && type !== 'generic'

function reportTitle(event: NormalEvent): string {
  return event.logentry?.formatted ?? sentence(isReport(event.type) ? event.type : 'csp', event.csp ?? {})
}

function describeException(main: NormalException, crash: NormalFrame | undefined): [string, Findings['metadata']] {
  const value = firstLine(main.value)
  const name = crash?.function
  const synthetic = main.mechanism?.synthetic === true
  const head = synthetic && (name || value) ? undefined : main.type
  const title = head ? (value ? `${head}: ${value}` : head) : withoutType(value, name, crash)
  return [
    cut(title),
    {
      ...(head ? { type: head } : {}),
      ...(value ? { value } : {}),
      ...(crash?.filename ? { filename: crash.filename } : {}),
      ...(name ? { function: name } : {}),
    },
  ]
}

/** Native crashes are named by their function, thrown non-errors (texts, rejections) by their message. */
function withoutType(value: string, name: string | undefined, crash: NormalFrame | undefined): string {
  const native = crash?.instruction_addr !== undefined || crash?.package !== undefined
  return (native ? name || value : value || name) || '<unknown>'
}

/** The first line that is not blank, at most 256 characters. */
function firstLine(text: string | undefined): string {
  const found = (text ?? '')
    .slice(0, 2048)
    .split(/\r\n|\r|\n/)
    .find((line) => line.trim())
  return cut(found?.trim() ?? '')
}

function cut(text: string): string {
  return text.length > titleMax ? `${text.slice(0, titleMax - 3).toWellFormed()}...` : text
}

/** The stack of the crashed thread, else of the current thread, else of the event. */
export function crashedStack(event: NormalEvent): NormalStacktrace | undefined {
  const threads = event.threads?.values ?? []
  const chosen =
    threads.find((thread) => thread.crashed && thread.stacktrace) ??
    threads.find((thread) => thread.current && thread.stacktrace)
  return chosen?.stacktrace ?? event.stacktrace
}

/** The newest in-app frame, else the newest frame. */
export function crashFrame(stacktrace: NormalStacktrace | undefined): NormalFrame | undefined {
  return stacktrace?.frames.findLast((frame) => frame.in_app) ?? stacktrace?.frames.at(-1)
}

const nativePlatforms = new Set(['native', 'c', 'cocoa', 'objc', 'swift'])

function culprit(
  event: NormalEvent,
  main: NormalException | undefined,
  crash: NormalFrame | undefined,
  sent: string | undefined,
): string {
  if (event.transaction) return event.transaction
  if (sent) return sent
  if (event.csp) return event.type === 'csp' ? cspDetails(event.csp).directive : (scalar(event.csp['hostname']) ?? '')
  if (main?.mechanism?.synthetic && !crash) return ''
  if (!crash) return event.request?.url ?? ''
  const platform = crash.platform ?? event.platform
  const place = crash.module ?? crash.filename ?? ''
  if (platform === 'javascript' || platform === 'node')
    return place || crash.function ? `${crash.function ?? '?'}(${place})` : ''
  if (nativePlatforms.has(platform)) return crash.function ?? ''
  return place ? (crash.function ? `${place} in ${crash.function}` : place) : (crash.function ?? '')
}
