import type { Diagnostics } from '../../domain/diagnostics.ts'
import type { NormalEvent } from '../../domain/event.ts'
import type { ReactError } from '../../domain/react-errors.ts'
import type { Json } from '../../wire/json.ts'
import { own, scalar } from '../pipeline/value.ts'
import { causeOf } from './causes.ts'
import { namesInStack, ownComponent, stackNames } from './components.ts'
import { formatted, fromDiff, fromMarkup, fromSentence, type Mismatch } from './differences.ts'
import { namesInTree, nestingIn } from './nesting.ts'

/** React's hydration error codes. 421 and 424 only report an update that came first. */
const codes: ReadonlySet<number> = new Set([418, 419, 421, 422, 423, 424, 425])
export const sentences =
  /Hydration failed because|error while hydrating|Text content d(?:oes|id) not match|A tree hydrated but some attributes|could not finish this Suspense boundary|error occurred during hydration|Expected server HTML to contain|Did not expect server HTML|will cause a hydration error|`[^`\n]{1,100}` did not match\. Server: |Extra attributes from the server/

/** Whether a text, or the minified error in it, reports a failed hydration. */
export const isHydration = (text: string, react: ReactError | undefined): boolean =>
  (react !== undefined && codes.has(react.code)) || sentences.test(text)

const crumbsMax = 20
/** Characters of a template that are compared with the sent text. */
const templateMax = 200

/**
 * The difference between server and browser, its cause and its component. Sources are the error itself, React's console
 * output before it, and the context `hydration` (`server`, `client`: HTML; `component`). Production builds of React
 * give no details, so the cause is then unknown.
 */
export function hydrationOf(event: NormalEvent): NonNullable<Diagnostics['hydration']> {
  const all = [...messageTexts(event), ...logged(event)].flatMap(
    ([text, whole]) => mismatchIn(text) ?? mismatchIn(whole ?? '') ?? [],
  )
  const sent = event.contexts['hydration']
  const [server, client] = [own(sent ?? {}, 'server'), own(sent ?? {}, 'client')]
  if (typeof server === 'string' && typeof client === 'string') all.unshift(fromMarkup(server, client))
  // The first one with differences. The same mismatch is mostly both in the error and in the console.
  const best = all.find((entry) => entry.differences.length > 0) ?? { differences: [], components: [] }
  const nesting = all.flatMap((entry) => entry.nesting ?? [])
  const { cause, evidence } = causeOf(best.differences, nesting)
  const nested = all.find((entry) => entry.nesting !== undefined && entry.nesting === evidence)
  const translated = cause === 'unknown' ? translatedPage(event) : undefined
  const ordered = cause === 'nesting' ? [nested, best] : [best, nested]
  const component = ownComponent([
    scalar(own(sent ?? {}, 'component')) ?? '',
    ...ordered.flatMap((entry) => entry?.components ?? []),
    ...stackNames(event),
  ])
  return {
    cause: translated ? 'translator' : cause,
    ...(translated || evidence ? { evidence: translated ?? evidence ?? '' } : {}),
    ...(component ? { component } : {}),
    differences: best.differences,
  }
}

/** The mismatch in one text, with the components around it; undefined if there is none. */
function mismatchIn(text: string): Mismatch | undefined {
  const nesting = nestingIn(text)
  const found = fromDiff(text) ?? fromSentence(text)
  if (!nesting && !found) return undefined
  const { differences = [], components = [], nesting: misplaced } = found ?? {}
  const componentPath = components.length > 0 ? components : [...namesInTree(text), ...namesInStack(text)]
  return { differences, components: componentPath, nesting: nesting ?? misplaced }
}

/** A text with its values filled in, and the text as sent if it differs. The sent text can have more at its end. */
type MessageTexts = [text: string, whole?: string]

/** A console call. Its arguments are kept up to 2 KB, its text up to 8 KB. */
const written = (args: Json | undefined, text: string | undefined): MessageTexts => [formatted(args, text), text ?? '']

/** The full texts of the exceptions, newest first, and of the message. Diffs are at their end. */
function messageTexts(event: NormalEvent): MessageTexts[] {
  const args = event.extra?.['arguments']
  const [first] = Array.isArray(args) ? args : []
  // The SDK's console integration makes an exception of a call: template, then values. The type can be `Warning`.
  const prefixes = typeof first === 'string' ? [first, first.replace(/^Warning: /, '')] : []
  const isWritten = (text: string) =>
    prefixes.some((prefix) => prefix !== '' && text.startsWith(prefix.slice(0, templateMax)))
  const values = (event.exception?.values ?? []).map((exception) => exception.value ?? '').reverse()
  const texts = values.map((text): MessageTexts => (isWritten(text) ? written(args, text) : [text]))
  return [...texts, written(args, event.logentry?.formatted)]
}

/** React's console output before the error, newest first. */
function logged(event: NormalEvent): MessageTexts[] {
  const isHydrationText = (text: string) => sentences.test(text) || nestingIn(text) !== undefined
  return (event.breadcrumbs?.values ?? [])
    .filter((crumb) => crumb.category === 'console' && isHydrationText((crumb.message ?? '').slice(0, 2048)))
    .slice(-crumbsMax)
    .map((crumb) => written(crumb.data?.['arguments'], crumb.message))
    .reverse()
}

/** Traces of a translator elsewhere in the event: the page's address, or nodes that only translators create. */
export function translatedPage(event: NormalEvent): string | undefined {
  const url = event.request?.url ?? ''
  const host = /^https?:\/\/([^/?#:]{1,255})/.exec(url)?.[1] ?? ''
  if (host.endsWith('.translate.goog') || host === 'translate.googleusercontent.com') return host
  const crumb = event.breadcrumbs?.values.findLast((entry) => entry.message?.includes('font > font'))
  return crumb ? 'font > font' : undefined
}
