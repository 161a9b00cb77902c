import type { InvariantId } from '../../domain/diagnostics.ts'
import { type EventText, lineAt } from './texts.ts'

/** Texts of invariants and their ids. The first match wins. */
export const invariantTexts: readonly (readonly [string, InvariantId])[] = [
  ['layout router not mounted', 'layout-router'],
  ['expected layout router to be mounted', 'layout-router'],
  ['expected app router to be mounted', 'app-router'],
  ['NextRouter was not mounted', 'pages-router'],
  ['Router action dispatched before initialization', 'router-early'],
  ['missing bootstrap script', 'bootstrap-missing'],
  ['connection to the page was unexpectedly closed', 'page-closed'],
  ['outside a request scope', 'request-scope'],
  ['Page changed from static to dynamic at runtime', 'static-dynamic'],
  ['rendered statically because it used', 'static-dynamic'],
  ['should be wrapped in a suspense boundary', 'search-suspense'],
  ['error occurred in the Server Components render', 'render-omitted'],
  ['can be passed to Client Components', 'client-props'],
  ['cannot be passed directly to Client Components', 'client-props'],
  ['Invalid hook call', 'hook-call'],
  ['Rendered more hooks than', 'hook-order'],
  ['Rendered fewer hooks than', 'hook-order'],
  ['Maximum update depth exceeded', 'update-loop'],
  ['Too many re-renders', 'update-loop'],
  ['Element type is invalid', 'element-type'],
  ['Objects are not valid as a React child', 'child-object'],
  ['suspended while responding to synchronous input', 'suspended-sync'],
  ['is not a child of this node', 'foreign-dom'], // in Chrome and Firefox
  ['This is a bug in Next.js', 'framework-bug'],
]

/** Control-flow errors of Next.js, whose message is only their name. */
export const steering = /^NEXT_(?:REDIRECT|NOT_FOUND|HTTP_ERROR_FALLBACK)(?:$|;)/

/** The React or Next.js invariant that a text (or a decoded error) reports; undefined for any other text. */
export function invariantIn({ text }: EventText): { id: InvariantId; found: string } | undefined {
  if (steering.test(text)) return { id: 'steering-caught', found: lineAt(text, 0) }
  for (const [phrase, id] of invariantTexts) {
    const at = text.indexOf(phrase)
    if (at >= 0) return { id, found: lineAt(text, at) }
  }
  return undefined
}
