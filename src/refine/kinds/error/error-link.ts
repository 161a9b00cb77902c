import type { Failure } from '../../../domain/error-links.ts'
import type { NormalBreadcrumb, NormalEvent, NormalException } from '../../../domain/event.ts'
import type { Json } from '../../../wire/json.ts'
import { object, own } from '../../pipeline/value.ts'

/**
 * The text that a browser shows in place of a server error: React's error number in a build, or the full sentence in
 * older versions of Next.js.
 */
const hiding = /Minified React error #441\b|An error occurred in the Server Components render\b/
/** Characters searched. The text is at the beginning; a stack after it is long. */
const hidingMax = 500

const hides = (text: string | undefined): boolean => text !== undefined && hiding.test(text.slice(0, hidingMax))

/** Seconds in which breadcrumbs belong to the event's moment: frameworks print an error just before it is reported. */
const momentS = 5

/** Server SDKs send a runtime. A browser has no runtime and no host name. */
function isBrowser(event: NormalEvent): boolean {
  return event.platform === 'javascript' && event.contexts['runtime'] === undefined && event.server_name === undefined
}

const hidesServerError = (event: NormalEvent): boolean =>
  (event.exception?.values.some((exception) => hides(exception.value)) ?? false) ||
  hides(event.logentry?.formatted) ||
  hides(event.logentry?.message)

/** The console argument, or the text, that contained a digest. */
function loggedValue(crumb: NormalBreadcrumb | undefined, path: string): Json | undefined {
  const index = /\.data\.arguments\.(\d+)(?:\.digest)?$/.exec(path)?.[1]
  const list = crumb?.data?.['arguments']
  return index !== undefined && Array.isArray(list) ? list[Number(index)] : crumb?.message
}

/** The index of the breadcrumb in a path. */
const crumbAt = (found: string): number => Number(/^breadcrumbs\.values\.(\d+)\./.exec(found)?.[1] ?? -1)

/** Characters of a message that are compared, and starts in a text that are tried. Printed errors begin early. */
const comparedMax = 500
const placesMax = 10
/** Possible starts of an error in a text, besides its beginning: after a line break, a log mark or a bracket. */
const beginnings = /\n|⨯ |\[/g
/** The type name before a message. Any other word there is the beginning of another message. */
const typeName = /^(?:Uncaught )?(?:[\w$]{1,100}\.){0,5}[\w$]{0,100}(?:Error|Exception)(?: \[\w{1,60}\])?: /

/** The parts of a text in which an error can begin. */
function candidatesIn(text: string): string[] {
  const starts = [0]
  for (const { index, 0: separator } of text.slice(0, comparedMax).matchAll(beginnings)) {
    if (starts.length === placesMax) break
    starts.push(index + separator.length)
  }
  return starts.map((start) => text.slice(start, start + 2 * comparedMax))
}

/** Whether a text starts with this message. "boom 1" matches neither "boom 17" nor "cart: boom 1". */
function isMessage(text: string, { type, value = '' }: NormalException): boolean {
  if (value === '') return false
  const head = value.slice(0, comparedMax)
  const named = type && text.startsWith(`${type}: `) ? type.length + 2 : (typeName.exec(text)?.[0].length ?? 0)
  const ends = (at: number) => value.length > comparedMax || !/^\w/.test(text.slice(at, at + 1))
  return [0, named].some((start) => text.startsWith(head, start) && ends(start + head.length))
}

/**
 * Returns whether the breadcrumb at a path is about this error: it names the digest next to the error's own message. In
 * a browser, all hidden errors have the same message, so no breadcrumb matches.
 */
export function crumbsOfError(event: NormalEvent): (found: string) => boolean {
  if (isBrowser(event)) return () => false
  const exceptions = event.exception?.values ?? []
  // One text can be next to many digests.
  const cache = new Map<string, boolean>()
  const speaks = (text: string) => {
    const all = candidatesIn(text)
    return exceptions.some((exception) => all.some((candidate) => isMessage(candidate, exception)))
  }
  return (found) => {
    const logged = loggedValue(event.breadcrumbs?.values[crumbAt(found)], found)
    const loose = object(logged)
    const text = loose ? own(loose, 'message') : logged
    if (typeof text !== 'string' || text === '') return false
    if (loose) return exceptions.some((exception) => exception.value === text)
    const isOwn = cache.get(text) ?? speaks(text)
    cache.set(text, isOwn)
    return isOwn
  }
}

function ofBrowser(event: NormalEvent): Failure | undefined {
  const digests = event.findings.digests ?? []
  const [first] = digests
  if (first?.sure) return { side: 'browser', digest: first.value, sure: true, hints: 0 }
  if (!hidesServerError(event)) return undefined
  const recent = digests.filter(({ found }) => {
    const crumb = crumbAt(found)
    const atS = event.breadcrumbs?.values[crumb]?.timestamp
    return crumb < 0 || atS === undefined || Math.abs(event.timestamp - atS) <= momentS
  })
  const [only] = recent
  return { side: 'browser', digest: recent.length === 1 && only ? only.value : '', sure: false, hints: recent.length }
}

function ofServer(event: NormalEvent): Failure | undefined {
  // If a server renders the hidden error of another server, the event is not the original error.
  if (event.findings.kind !== 'error' || hidesServerError(event)) return undefined
  const digests = event.findings.digests ?? []
  const [first] = digests
  if (first?.sure) return { side: 'server', digest: first.value, sure: true, hints: 0 }
  const isOwn = crumbsOfError(event)
  const own = digests.find(({ found }) => isOwn(found))
  const reported =
    event.exception?.values.some((exception) => exception.mechanism?.type?.includes('on_request_error')) ?? false
  if (!first && !reported) return undefined
  // A digest next to another message does not belong to this error.
  return { side: 'server', digest: own?.value ?? '', sure: false, hints: digests.length }
}

/** The end of an error link that the event is; undefined for nearly all events. */
export function failureOf(event: NormalEvent): Failure | undefined {
  if (event.csp) return undefined
  return isBrowser(event) ? ofBrowser(event) : ofServer(event)
}
