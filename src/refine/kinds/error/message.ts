import type { NormalEvent } from '../../../domain/event.ts'
import type { Json } from '../../../wire/json.ts'
import { bounded, type MetaNotes, object, own, text } from '../../pipeline/value.ts'

/** 8,192 characters and the allowance of 200. */
export const formattedMax = 8392

/**
 * Reads a log entry: a text, or `{message, params, formatted}`. A missing `formatted` is built from the template with
 * %-placeholders, then {}-placeholders. If the template equals the formatted text, only `formatted` is kept.
 */
export function readLogentry(to: MetaNotes, leaf: string, value: unknown): NormalEvent['logentry'] {
  const loose = object(value)
  if (!loose) {
    const formatted = text(to, leaf, value, 8192, 200)
    return formatted === undefined ? undefined : { formatted }
  }
  to.path.push('logentry')
  const message = text(to, 'message', own(loose, 'message'), 8192, 200)
  const sentParams = own(loose, 'params')
  const params =
    sentParams === undefined || sentParams === null
      ? undefined
      : bounded(to, 'params', sentParams, { depth: 4, bytes: 2048 })
  const formatted =
    text(to, 'formatted', own(loose, 'formatted'), 8192, 200) ??
    (message && params !== undefined ? format(message, params) : message)
  to.path.pop()
  if (formatted === undefined && message === undefined) return undefined
  return {
    ...(message !== undefined && message !== formatted ? { message } : {}),
    ...(formatted !== undefined ? { formatted: formatted.slice(0, formattedMax) } : {}),
    ...(params !== undefined ? { params } : {}),
  }
}

/** Fills the template with its parameters. Placeholders without a parameter stay. */
export function format(template: string, params: Json): string {
  const list = Array.isArray(params) ? params : undefined
  const named = object(params) as { [key: string]: Json } | undefined
  let next = 0
  let used = 0
  const take = (name: string | undefined, index: number, whole: string): string => {
    const value = name
      ? named && Object.hasOwn(named, name)
        ? named[name]
        : /^\d{1,4}$/.test(name)
          ? list?.[Number(name)]
          : undefined
      : list?.[index]
    if (value === undefined) return whole
    used += 1
    return typeof value === 'string' ? value : JSON.stringify(value)
  }
  const percent = template.replace(
    /%(?:\((\w{1,64})\))?(?:[-+#0]?\d{0,4}(?:\.\d{1,4})?)([%sdifrxo])/g,
    (whole, name: string | undefined, sign: string) => {
      if (sign === '%') return '%'
      return take(name, name ? 0 : next++, whole)
    },
  )
  if (used) return percent
  next = 0
  const braces = template.replace(/\{(\w{0,64})(?::[^{}]{0,20})?\}/g, (whole, name: string) =>
    take(name || undefined, name ? 0 : next++, whole),
  )
  return used ? braces : template
}
