import type { NormalEvent } from '../../protocol/event.ts'
import type { Signs } from '../../protocol/signs.ts'
import { own, scalar } from '../value.ts'
import { causeOf } from './causes.ts'
import { formatted, fromDiff, fromMarkup, fromSentence, type Mismatch, nestingIn } from './differences.ts'
import type { ReactError } from './react.ts'

/** React's numbers of hydration: 421 and 424 only tell of an update that came first. */
const codes: ReadonlySet<number> = new Set([418, 419, 421, 422, 423, 424, 425])
export const sentences =
  /Hydration failed because|error while hydrating|Text content d(?:oes|id) not match|A tree hydrated but some attributes|could not finish this Suspense boundary|Expected server HTML to contain|Did not expect server HTML|will cause a hydration error|`[^`\n]{1,100}` did not match\. Server: |Extra attributes from the server/

/** Whether a text, or the minified error in it, tells that hydrating failed. */
export const isHydration = (text: string, react: ReactError | undefined): boolean =>
  (react !== undefined && codes.has(react.code)) || sentences.test(text)

const crumbsMax = 20
const stackLinesMax = 60

/**
 * What differed between server and browser, why, and in which component: from the error itself, from what React wrote to
 * the console before it, and from the context `hydration` (`server`, `client`: HTML; `component`). Production builds of
 * React tell nothing of it by themselves; then the cause is unknown.
 */
export function hydrationOf(event: NormalEvent): NonNullable<Signs['hydration']> {
  const texts = [...spoken(event), ...logged(event)]
  const all: Mismatch[] = []
  for (const text of texts) {
    const nesting = nestingIn(text)
    if (nesting) all.push({ differences: [], components: [], nesting })
    const found = fromDiff(text) ?? fromSentence(text)
    if (found) all.push(found)
  }
  const sent = event.contexts['hydration']
  const [server, client] = [own(sent ?? {}, 'server'), own(sent ?? {}, 'client')]
  if (typeof server === 'string' && typeof client === 'string') all.unshift(fromMarkup(server, client))
  // the first that tells something: the same mismatch mostly stands in the error and in the console
  const told = all.find((one) => one.differences.length > 0) ?? { differences: [], components: [] }
  const { cause, evidence } = causeOf(told.differences, all.find((one) => one.nesting)?.nesting)
  const translated = cause === 'unknown' ? translatedPage(event) : undefined
  const component = ownComponent([scalar(own(sent ?? {}, 'component')) ?? '', ...told.components, ...stackNames(event)])
  return {
    cause: translated ? 'translator' : cause,
    ...(translated || evidence ? { evidence: translated ?? evidence ?? '' } : {}),
    ...(component ? { component } : {}),
    differences: told.differences,
  }
}

/** Texts of the exceptions, newest first, and of the message, whole: diffs stand at their end. */
function spoken(event: NormalEvent): string[] {
  const values = (event.exception?.values ?? []).map((one) => one.value ?? '').reverse()
  const message = formatted(event.extra?.['arguments'], event.logentry?.formatted)
  return [...values, message].filter(Boolean)
}

/** What React wrote to the console before it gave up, newest first. */
function logged(event: NormalEvent): string[] {
  return (event.breadcrumbs?.values ?? [])
    .filter((one) => one.category === 'console' && sentences.test((one.message ?? '').slice(0, 2048)))
    .slice(-crumbsMax)
    .map((one) => {
      const text = formatted(one.data?.['arguments'], one.message)
      // arguments are kept to 2 KB, the message to 8: whichever still has the diff
      return (one.message?.length ?? 0) > text.length ? `${text}\n${one.message}` : text
    })
    .reverse()
}

/** Signs of a translator elsewhere in the event: the page's address, or nodes that only translators make. */
export function translatedPage(event: NormalEvent): string | undefined {
  const url = event.request?.url ?? ''
  const host = /^https?:\/\/([^/?#:]{1,255})/.exec(url)?.[1] ?? ''
  if (host.endsWith('.translate.goog') || host === 'translate.googleusercontent.com') return host
  const crumb = event.breadcrumbs?.values.findLast((one) => one.message?.includes('font > font'))
  return crumb ? 'font > font' : undefined
}

/** Names in the stack of components: of the context `react`, and of the exception that the client makes of it. */
function stackNames(event: NormalEvent): string[] {
  const stack = scalar(own(event.contexts['react'] ?? {}, 'componentStack')) ?? ''
  const named = stack
    .split('\n', stackLinesMax)
    .flatMap((line) => /^\s{0,20}(?:at|in) ([\w$.]{1,100})/.exec(line)?.[1] ?? [])
  const made = event.exception?.values.find((one) => one.type?.startsWith('React ErrorBoundary'))
  const frames = (made?.stacktrace?.frames ?? []).slice(-stackLinesMax).map((one) => one.function ?? '')
  return [...frames.reverse(), ...named]
}

/** Parts of React and Next.js that stand in every tree. */
const framework =
  /^(?:Suspense|Fragment|Lazy|Activity|Profiler|StrictMode|AppRouter|Router|Root|ServerRoot|App|AppContainer|Container|Head|Body|Html|NextScript|\w{0,60}(?:ErrorBoundary(?:Handler)?|LayoutRouter|TemplateContext|FocusHandler|RedirectBoundary|NotFoundBoundary|FallbackBoundary|LoadingBoundary|SegmentViewNode|SegmentTrieNode|PageRoot|SegmentRoot|MetadataBoundary|ViewportBoundary|OutletBoundary|DevOverlay|ProviderAdapter|Provider|Consumer|Context))$/

/** The first name that is a component of the application's own. */
function ownComponent(names: readonly string[]): string | undefined {
  const isOwn = (name: string) => /^[A-Z$][\w$.]{0,99}$/.test(name) && !framework.test(name)
  return names.find(isOwn)
}
