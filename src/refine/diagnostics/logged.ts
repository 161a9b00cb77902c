import type { Diagnostics } from '../../domain/diagnostics.ts'
import type { NormalEvent } from '../../domain/event.ts'
import type { Json } from '../../wire/json.ts'
import { object, own } from '../pipeline/value.ts'
import { type EventText, short } from './texts.ts'

type Logged = NonNullable<Diagnostics['logged']>

const valueMax = 1000

/**
 * An error that was only logged: React's message about a component and its boundary, an error from the SDK's console
 * integration, or a message that is an error with its stack. Undefined for anything else.
 */
export function loggedOf(event: NormalEvent, eventTexts: readonly EventText[]): Logged | undefined {
  const boundary = boundaryOf(event, eventTexts)
  const exception = event.exception?.values.at(-1)
  if (exception) {
    if (boundary) return boundary
    const byConsole = /^(?:auto\.core\.capture_console|(?:captureconsole|console))$/.test(
      exception.mechanism?.type ?? '',
    )
    return byConsole ? { by: 'console', ...namesOf(exception.type, exception.value) } : undefined
  }
  const error = errorAmong(event.extra?.['arguments']) ?? errorIn(eventTexts.at(-1)?.text ?? '')
  if (boundary) return { ...boundary, ...error }
  return error && event.logger === 'console' ? { by: 'console', ...error } : undefined
}

const namesOf = (type: string | undefined, value: string | undefined): Pick<Logged, 'type' | 'value'> => ({
  ...(type ? { type } : {}),
  ...(value ? { value: value.slice(0, valueMax).toWellFormed() } : {}),
})

/** React's message about the component that threw. */
export const component =
  /(?:The above|An) error occurred in (?:the <([\w$.]{1,100})> component|one of your React components)/
const handledBy = /using the error boundary you provided, ([\w$.]{1,100}?)\.(?!\w)/

/** React's message, found in the texts or the console arguments. */
function boundaryOf(event: NormalEvent, eventTexts: readonly EventText[]): Logged | undefined {
  const args = event.extra?.['arguments']
  const texts = [...eventTexts.map((entry) => entry.text), ...(Array.isArray(args) ? args.slice(0, 10) : [])]
  for (const text of texts) {
    if (typeof text !== 'string') continue
    const found = component.exec(text)
    if (!found) continue
    const all = texts.filter((entry) => typeof entry === 'string').join('\n')
    const boundary = handledBy.exec(all)?.[1]
    return {
      by: 'boundary',
      ...(found[1] ? { component: found[1] } : {}),
      ...(boundary ? { boundary } : {}),
    }
  }
  return undefined
}

/** An error among the console arguments, as SDKs write it: its name and message. */
function errorAmong(args: Json | undefined): Pick<Logged, 'type' | 'value'> | undefined {
  if (!Array.isArray(args)) return undefined
  for (const entry of args.slice(0, 10)) {
    const loose = object(entry)
    if (loose) {
      const [name, message] = [own(loose, 'name'), own(loose, 'message')]
      const isError = typeof own(loose, 'stack') === 'string' && typeof message === 'string'
      if (isError) return namesOf(typeof name === 'string' ? short(name) : 'Error', message)
    } else if (typeof entry === 'string') {
      const error = errorIn(entry)
      if (error) return error
    }
  }
  return undefined
}

/** `TypeError: x is not a function` followed by a line of its stack. */
const thrown =
  /^(?:Uncaught )?([A-Z]\w{0,60}(?:Error|Exception)|Error): ([^\n]{0,1000})(?:\n[^\n]{0,500}){0,3}?\n\s{0,20}(?:at |\S{0,200}@)/

function errorIn(text: string): Pick<Logged, 'type' | 'value'> | undefined {
  const found = text.includes('rror') || text.includes('Exception') ? thrown.exec(text) : null
  return found ? namesOf(found[1], found[2]) : undefined
}
