import { reactError } from './react-errors.ts'

/** Type and value of an issue's title in plain words. */
type DecodedTitle = { type: string; value: string }

const valueMax = 200

/** What the messages of React and Next.js mean, by their beginning. The first that fits counts. */
const meanings: readonly (readonly [pattern: RegExp, type: string, value: string])[] = [
  [/^An error occurred in the Server Components render/, 'Server Components render failed', ''],
  [/^Hydration failed because the server rendered text didn't match/, 'Hydration mismatch', 'text differs'],
  [/^Hydration failed because the server rendered HTML didn't match/, 'Hydration mismatch', 'HTML differs'],
  [/^Hydration failed because /, 'Hydration mismatch', ''],
  [/^Text content d(?:oes|id) not match/, 'Hydration mismatch', 'text differs'],
  [
    /^There was an error while hydrating (?:this|.{0,80} the nearest) Suspense boundary/,
    'Hydration failed',
    'in a Suspense boundary',
  ],
  [/^There was an error while hydrating/, 'Hydration failed', 'the browser rendered the whole page again'],
  [
    /^The server could not finish this Suspense boundary/,
    'Server render failed',
    'the browser rendered a Suspense boundary instead',
  ],
  [/^Maximum update depth exceeded/, 'Endless update', 'a component updates itself with every render'],
  [/^Rendered (?:more|fewer) hooks than/, 'Hook order changed', 'between two renders of a component'],
  [/^Invalid hook call/, 'Invalid hook call', 'a hook ran outside of a component'],
]

/**
 * The title of an issue whose message is a number of React ("Minified React error #441; visit ...") or a known long
 * message of React or Next.js. Undefined for all other messages. Derived when an issue is read, so that old issues have
 * it too and that search finds the text as it was sent.
 */
export function decodedTitle(type: string, message: string): DecodedTitle | undefined {
  const minified = reactError(message)
  if (minified && minified.message === undefined) return undefined
  const text = minified?.message ?? message
  const known = meanings.find(([pattern]) => pattern.test(text))
  if (known) return { type: known[1], value: known[2] }
  if (!minified) return undefined
  return { type: type || 'Error', value: firstSentence(text) }
}

/** The first sentence: the rest of React's messages is advice. */
function firstSentence(text: string): string {
  const end = /\.\s/.exec(text)?.index ?? text.length
  return text.slice(0, Math.min(end, valueMax)).toWellFormed()
}
