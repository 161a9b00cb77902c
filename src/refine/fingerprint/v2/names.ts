import type { NormalEvent } from '../../../domain/event.ts'
import { parameterize } from '../v1/parameterize.ts'

const routeMax = 200

/** Suffixes that bundlers add to equal names: `Price$1`, `Price_ff0912`, `Price__x7Ql9`; not `Price_item2`. */
const added =
  /(?:\$\d{1,3}|_{1,2}(?:(?=[0-9a-f]{0,31}\d)(?=\d{0,31}[a-f])[0-9a-f]{5,32}|(?=[0-9a-zA-Z]{0,31}(?:[a-zA-Z]\d{1,9}[a-zA-Z]|\d[a-zA-Z]{1,9}\d))[0-9a-zA-Z]{5,32}))$/

/**
 * A component's name in its sources, without suffixes of the build; undefined for a minified name, because another
 * build would use a different one.
 */
export function componentOf(name: string | undefined): string | undefined {
  if (name === undefined) return undefined
  const cut = name.replace(added, '').replace(/\$+$/, '')
  return isMinified(cut) ? undefined : cut
}

/** One or two characters, or three that no person would write: not `Map` or `FAQ`. */
const isMinified = (name: string): boolean =>
  name.length < 3 || (name.length === 3 && !/^[A-Z](?:[a-z]{2}|[A-Z]{2})$/.test(name))

/** The event's route: its transaction, else its page's path, with variable parts replaced; undefined without both. */
export function routeOf(event: NormalEvent): string | undefined {
  const sent = event.transaction ?? event.tags.find(([key]) => key === 'transaction')?.[1] ?? event.request?.url
  if (!sent) return undefined
  const path =
    /^[a-z][a-z\d+.-]{1,20}:\/\/[^/?#]{0,255}([^?#]{0,2048})/i.exec(sent)?.[1] ?? sent.split(/[?#]/, 1)[0] ?? ''
  const route = parameterize((path || '/').slice(0, routeMax)).replace(/(?<=.)\/$/, '')
  return route || undefined
}
