import type { Signs } from '../../domain/diagnostics.ts'
import type { NormalEvent } from '../../domain/event.ts'
import type { Json } from '../../wire/json.ts'
import { own, scalar } from '../pipeline/value.ts'
import { causeOf } from './causes.ts'
import { namesInStack, ownComponent, stackNames } from './components.ts'
import { formatted, fromDiff, fromMarkup, fromSentence, type Mismatch } from './differences.ts'
import { namesInTree, nestingIn } from './nesting.ts'
import type { ReactError } from './react.ts'

/** React's numbers of hydration: 421 and 424 only tell of an update that came first. */
const codes: ReadonlySet<number> = new Set([418, 419, 421, 422, 423, 424, 425])
export const sentences =
  /Hydration failed because|error while hydrating|Text content d(?:oes|id) not match|A tree hydrated but some attributes|could not finish this Suspense boundary|error occurred during hydration|Expected server HTML to contain|Did not expect server HTML|will cause a hydration error|`[^`\n]{1,100}` did not match\. Server: |Extra attributes from the server/

/** Whether a text, or the minified error in it, tells that hydrating failed. */
export const isHydration = (text: string, react: ReactError | undefined): boolean =>
  (react !== undefined && codes.has(react.code)) || sentences.test(text)

const crumbsMax = 20
/** Of a template, what the text that was sent is compared with. */
const templateMax = 200

/**
 * What differed between server and browser, why, and in which component: from the error itself, from what React wrote to
 * the console before it, and from the context `hydration` (`server`, `client`: HTML; `component`). Production builds of
 * React tell nothing of it by themselves; then the cause is unknown.
 */
export function hydrationOf(event: NormalEvent): NonNullable<Signs['hydration']> {
  const all = [...spoken(event), ...logged(event)].flatMap(
    ([text, whole]) => mismatchIn(text) ?? mismatchIn(whole ?? '') ?? [],
  )
  const sent = event.contexts['hydration']
  const [server, client] = [own(sent ?? {}, 'server'), own(sent ?? {}, 'client')]
  if (typeof server === 'string' && typeof client === 'string') all.unshift(fromMarkup(server, client))
  // the first that tells something: the same mismatch mostly stands in the error and in the console
  const told = all.find((entry) => entry.differences.length > 0) ?? { differences: [], components: [] }
  const nesting = all.flatMap((entry) => entry.nesting ?? [])
  const { cause, evidence } = causeOf(told.differences, nesting)
  const nested = all.find((entry) => entry.nesting !== undefined && entry.nesting === evidence)
  const translated = cause === 'unknown' ? translatedPage(event) : undefined
  const near = cause === 'nesting' ? [nested, told] : [told, nested]
  const component = ownComponent([
    scalar(own(sent ?? {}, 'component')) ?? '',
    ...near.flatMap((entry) => entry?.components ?? []),
    ...stackNames(event),
  ])
  return {
    cause: translated ? 'translator' : cause,
    ...(translated || evidence ? { evidence: translated ?? evidence ?? '' } : {}),
    ...(component ? { component } : {}),
    differences: told.differences,
  }
}

/** What one text tells of a mismatch, with the components around it; undefined: nothing. */
function mismatchIn(text: string): Mismatch | undefined {
  const nesting = nestingIn(text)
  const found = fromDiff(text) ?? fromSentence(text)
  if (!nesting && !found) return undefined
  const { differences = [], components = [], nesting: misplaced } = found ?? {}
  const around = components.length > 0 ? components : [...namesInTree(text), ...namesInStack(text)]
  return { differences, components: around, nesting: nesting ?? misplaced }
}

/** A text with its values in their places, and as it was sent where that is another one: it may have more at its end. */
type Told = [text: string, whole?: string]

/** What was written to a console. Arguments are kept to 2 KB, the text behind them to 8. */
const written = (given: Json | undefined, text: string | undefined): Told => [formatted(given, text), text ?? '']

/** Texts of the exceptions, newest first, and of the message, whole: diffs stand at their end. */
function spoken(event: NormalEvent): Told[] {
  const given = event.extra?.['arguments']
  const [first] = Array.isArray(given) ? given : []
  // the client's part for consoles makes an exception of what was written, its values behind the template; `Warning` is its type then
  const heads = typeof first === 'string' ? [first, first.replace(/^Warning: /, '')] : []
  const isWritten = (text: string) => heads.some((head) => head !== '' && text.startsWith(head.slice(0, templateMax)))
  const values = (event.exception?.values ?? []).map((entry) => entry.value ?? '').reverse()
  const texts = values.map((text): Told => (isWritten(text) ? written(given, text) : [text]))
  return [...texts, written(given, event.logentry?.formatted)]
}

/** What React wrote to the console before it gave up, newest first. */
function logged(event: NormalEvent): Told[] {
  const isOne = (text: string) => sentences.test(text) || nestingIn(text) !== undefined
  return (event.breadcrumbs?.values ?? [])
    .filter((entry) => entry.category === 'console' && isOne((entry.message ?? '').slice(0, 2048)))
    .slice(-crumbsMax)
    .map((entry) => written(entry.data?.['arguments'], entry.message))
    .reverse()
}

/** Signs of a translator elsewhere in the event: the page's address, or nodes that only translators make. */
export function translatedPage(event: NormalEvent): string | undefined {
  const url = event.request?.url ?? ''
  const host = /^https?:\/\/([^/?#:]{1,255})/.exec(url)?.[1] ?? ''
  if (host.endsWith('.translate.goog') || host === 'translate.googleusercontent.com') return host
  const crumb = event.breadcrumbs?.values.findLast((entry) => entry.message?.includes('font > font'))
  return crumb ? 'font > font' : undefined
}
