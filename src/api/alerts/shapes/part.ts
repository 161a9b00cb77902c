import { isDeepStrictEqual } from 'node:util'
import { MishapError } from '../../../base/errors.ts'
import { type AlertAction, alertAction, type RestAlertRule } from '../../../contract/alerts/alerts.ts'

/** A condition, filter or action of another shape of the API. Its other fields follow from its id or type. */
export type Part = { [name: string]: unknown }

/** What a part means here, why it cannot be evaluated, or why it is refused. */
export type Reading<Value> = { value: Value } | { unevaluable: string } | { mistake: string }

export const textOf = (part: Part, name: string): string => {
  const value = part[name]
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}

/** A number that was sent as a number or as digits; undefined for anything else. */
export function numberOf(part: Part, name: string): number | undefined {
  const text = textOf(part, name).trim()
  return /^-?\d{1,15}(?:\.\d{1,9})?$/.test(text) ? Number(text) : undefined
}

/** The type of an action that a shape has no name for: it holds the receiver as Mishap names it. */
export const ownReceiver = 'mishap_receiver'

/** Reads a receiver as Mishap names it. */
export function readReceiver(target: unknown): Reading<AlertAction> {
  const { data } = alertAction.safeParse(target)
  return data ? { value: data } : { mistake: 'target is an action of Mishap, such as {"type":"owners"}.' }
}

/** The windows that the other shapes know, in minutes. */
const windows: Readonly<Record<string, number>> = {
  '1m': 1,
  '5m': 5,
  '10m': 10,
  '15m': 15,
  '30m': 30,
  '1h': 60,
  '4h': 240,
  '1d': 1440,
  '1w': 10_080,
  '30d': 43_200,
}

export const minutesOf = (window: string): number | undefined =>
  Object.hasOwn(windows, window) ? windows[window] : undefined

/** The longest of these windows that is not longer than `minutes`, and that window itself if it is one of them. */
export const windowOf = (minutes: number): string =>
  Object.entries(windows).findLast(([, length]) => length <= minutes)?.[0] ?? '1m'

/** The periods that a change compares with. */
export const beforeOf = (window: string): 'hour' | 'day' | 'week' | undefined =>
  window === '1h' ? 'hour' : window === '1d' ? 'day' : window === '1w' ? 'week' : undefined

export const windowOfBefore = { hour: '1h', day: '1d', week: '1w' } as const

/** A value in quotes for a search text, with every character as itself. */
export const literal = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('*', '\\*')

/** What was read of a list of parts. */
type ReadParts<Value> = { values: Value[]; unevaluable: string[] }

/** Reads a list of parts. Throws VALIDATION with every mistake under `field`. */
export function readParts<Value>(
  field: string,
  parts: readonly Part[],
  read: (part: Part) => Reading<Value>,
): ReadParts<Value> {
  const found = parts.map(read)
  const mistakes = found.flatMap((part) => ('mistake' in part ? [part.mistake] : []))
  if (mistakes.length > 0) throw new MishapError('VALIDATION', { fields: { [field]: mistakes } })
  return {
    values: found.flatMap((part) => ('value' in part ? [part.value] : [])),
    unevaluable: found.flatMap((part) => ('unevaluable' in part ? [part.unevaluable] : [])),
  }
}

/** Why a rule is inactive, as each shape says it. */
export const errorsOf = ({ unevaluable }: RestAlertRule): { detail: string }[] =>
  unevaluable.map((detail) => ({ detail: `Mishap cannot evaluate ${detail}.` }))

/** The values without repetitions, in their order. */
export const distinct = <Value>(values: readonly Value[]): Value[] => [
  ...new Map(values.map((value) => [JSON.stringify(value), value])).values(),
]

/**
 * Whether parts still mean the receivers of a rule. They do not after another shape or the screen changed these, or after a
 * channel that they name got another name.
 */
export function meansReceivers(
  parts: readonly Part[],
  read: (part: Part) => Reading<AlertAction>,
  actions: readonly AlertAction[],
): boolean {
  const found = parts.map(read)
  const meant = found.flatMap((part) => ('value' in part ? [part.value] : []))
  return !found.some((part) => 'mistake' in part) && isDeepStrictEqual(distinct(meant), distinct(actions))
}

/**
 * Runs a change of a rule, and renames the fields of its mistakes to those of another shape: `issue.filter` is `filters`
 * there. A field without another name keeps its own.
 */
export async function renamed<Result>(
  names: Readonly<Record<string, string>>,
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof MishapError) || !error.fields) throw error
    const fields: Record<string, string[]> = {}
    for (const [field, sentences] of Object.entries(error.fields)) {
      const [first = field] = field.split('.')
      const name = names[field] ?? names[first] ?? field
      fields[name] = [...(fields[name] ?? []), ...sentences]
    }
    throw new MishapError(error.code, { fields })
  }
}
