import type { NormalEvent, NormalFrame } from '../../../domain/event.ts'
import { tagOf } from '../rules.ts'
import { parameterize } from './parameterize.ts'

/** Whether a fingerprint entry means the default grouping: `{{ default }}` with any spacing, also `{{default}}`. */
export function isDefault(entry: string): boolean {
  return variableOf(entry) === 'default'
}

/** The name in `{{ name }}`; undefined for plain text. */
function variableOf(entry: string): string | undefined {
  return /^\{\{\s{0,20}([\w.:-]{1,200})\s{0,20}\}\}$/.exec(entry.trim())?.[1]
}

const basename = (path: string | undefined) => path?.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)

/** Resolves the variables of a fingerprint entry. Plain text stays unchanged. */
export function resolveEntry(entry: string, event: NormalEvent, crash: NormalFrame | undefined): string {
  const whole = variableOf(entry)
  if (whole !== undefined) return resolveVariable(whole, event, crash)
  if (!entry.includes('{{')) return isMessage(entry, event) ? parameterize(entry) : entry
  return entry.replace(/\{\{\s{0,20}([\w.:-]{1,200})\s{0,20}\}\}/g, (_, name: string) =>
    resolveVariable(name, event, crash),
  )
}

/** Whether an SDK used the message itself as fingerprint, including its variable parts. */
const isMessage = (entry: string, event: NormalEvent): boolean =>
  entry !== '' && (event.exception?.values ?? []).some((element) => element.value === entry)

function resolveVariable(name: string, event: NormalEvent, crash: NormalFrame | undefined): string {
  const main = event.exception?.values.at(-1)
  switch (name) {
    case 'transaction':
      return event.transaction ?? '<no-transaction>'
    case 'message':
      return event.logentry?.formatted ?? event.logentry?.message ?? main?.value ?? '<no-message>'
    case 'type':
    case 'error.type':
      return main?.type ?? '<no-type>'
    case 'value':
    case 'error.value':
      return main?.value ?? '<no-value>'
    case 'function':
    case 'stack.function':
      return crash?.function ?? '<no-function>'
    case 'path':
    case 'stack.abs_path':
      return crash?.abs_path ?? crash?.filename ?? '<no-abs-path>'
    case 'stack.filename':
      return crash?.filename ?? crash?.abs_path ?? '<no-filename>'
    case 'module':
    case 'stack.module':
      return crash?.module ?? '<no-module>'
    case 'package':
    case 'stack.package':
      return basename(crash?.package) ?? '<no-package>'
    case 'level':
      return event.level
    case 'logger':
      return event.logger ?? '<no-logger>'
    default:
      return resolveTag(name, event)
  }
}

function resolveTag(name: string, event: NormalEvent): string {
  if (!name.startsWith('tags.')) return `<unrecognized-variable-${name}>`
  const key = name.slice('tags.'.length)
  return tagOf(event, key) ?? `<no-value-for-tag-${key}>`
}
