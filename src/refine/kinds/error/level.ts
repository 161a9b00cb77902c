import type { NormalEvent } from '../../../domain/event.ts'

const names: ReadonlyMap<string, NormalEvent['level']> = new Map([
  ['fatal', 'fatal'],
  ['critical', 'fatal'],
  ['error', 'error'],
  ['warning', 'warning'],
  ['warn', 'warning'],
  ['info', 'info'],
  ['log', 'info'],
  ['debug', 'debug'],
  ['trace', 'debug'],
])

/** A level by name, alias or Python's number (10 debug to 50 fatal); undefined for anything else. */
export function levelOf(value: unknown): NormalEvent['level'] | undefined {
  // Most events and breadcrumbs have a plain name.
  const known = names.get(value as string)
  if (known) return known
  const number =
    typeof value === 'number' ? value : typeof value === 'string' && /^\d{1,3}$/.test(value) ? Number(value) : undefined
  if (number !== undefined) {
    if (number >= 50) return 'fatal'
    if (number >= 40) return 'error'
    if (number >= 30) return 'warning'
    if (number >= 20) return 'info'
    return number >= 0 ? 'debug' : undefined
  }
  return typeof value === 'string' ? names.get(value.trim().toLowerCase()) : undefined
}
