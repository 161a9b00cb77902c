import type { SkewKind } from '../../domain/diagnostics.ts'
import type { NormalEvent } from '../../domain/event.ts'
import { type EventText, lineAt, short } from './texts.ts'

type Skew = { kind: SkewKind; found: string }

/** Error types that always mean skew. */
export const skewTypes: ReadonlyMap<string, SkewKind> = new Map([
  ['ChunkLoadError', 'chunk'],
  ['UnrecognizedActionError', 'server-action'],
])

/** Texts that mean skew in any context. */
export const skewTexts: readonly (readonly [RegExp, SkewKind])[] = [
  [/ChunkLoadError|Loading (?:CSS )?chunk \S{1,200} failed|Failed to load chunk \S{1,400}/, 'chunk'],
  [/but the module factory is not available/, 'chunk'],
  [
    /(?:Failed to (?:fetch|load)|[Ee]rror loading) dynamically imported module|Importing a module script failed|Unable to preload CSS for |is not a valid JavaScript MIME type|Expected a JavaScript(?:-or-Wasm)? module script/,
    'dynamic-import',
  ],
  [/Failed to find Server Action|Server Action "[^"]{0,200}" was not found on the server/, 'server-action'],
  [
    /Failed to load (?:static props|client build manifest|client middleware manifest)|Failed to lookup route: |Route did not complete loading: |\b[Bb]uild[ -]?[Ii][Dd] mismatch|\bbuildId mismatch/,
    'build-id',
  ],
  [
    /Failed to fetch RSC payload for |Could not find the module ".{0,400}" in the React (?:Client|Server|Server Consumer) Manifest|Expected RSC (?:response|navigation response|payload)|no transport data and no base tree|created by a development version of React/,
    'rsc',
  ],
]

/** Detects deploy skew: errors of an old tab or an old server. Decoded texts of React errors count, too. */
export function skewOf(event: NormalEvent, eventTexts: readonly EventText[]): Skew | undefined {
  for (const { type, text } of eventTexts) {
    const named = skewTypes.get(type)
    if (named) return { kind: named, found: short(text || type) }
    for (const [pattern, kind] of skewTexts) {
      const found = pattern.exec(text)
      if (found) return { kind, found: lineAt(text, found.index) }
    }
  }
  return contextualSkew(event, eventTexts)
}

/** Texts that mean skew only in a certain context. */
const aDocument = /^Unexpected token '?<'?(?!\w)/
const noModule = /reading 'call'\)|\[\w{1,20}\]\.call'\)|Cannot read property 'call' of undefined/
const closed = /^Connection closed\./
const unexpected = /^An unexpected response was received from the server/
export const skewHints: readonly RegExp[] = [aDocument, noModule, closed, unexpected]

function contextualSkew(event: NormalEvent, eventTexts: readonly EventText[]): Skew | undefined {
  for (const { type, text } of eventTexts) {
    // A document in place of a script: a server's fallback for unknown files.
    if (type === 'SyntaxError' && aDocument.test(text) && isScript(thrownAt(event)))
      return { kind: 'chunk', found: short(`${text} (${thrownAt(event)})`) }
    // webpack's loader calls a module that its chunk does not contain.
    if (noModule.test(text) && isWebpack(event)) return { kind: 'chunk', found: short(text) }
    if (closed.test(text) && isNext(event)) return { kind: 'rsc', found: short(text) }
    if (unexpected.test(text) && lastPost(event) === 409)
      return { kind: 'server-action', found: short(`${text} (POST answered 409)`) }
  }
  return undefined
}

const thrown = (event: NormalEvent) => event.exception?.values.at(-1)?.stacktrace?.frames.at(-1)
const thrownAt = (event: NormalEvent): string => thrown(event)?.abs_path ?? thrown(event)?.filename ?? ''
const isScript = (place: string): boolean => /\.m?js(?:$|[?#])/.test(place.slice(0, 2048))

function isWebpack(event: NormalEvent): boolean {
  const frame = thrown(event)
  return (
    frame?.function === '__webpack_require__' || /(?:^|\/)webpack[-.\w]{0,80}\.js/.test(thrownAt(event).slice(0, 2048))
  )
}

function isNext(event: NormalEvent): boolean {
  return event.sdk?.name === 'sentry.javascript.nextjs' || thrownAt(event).includes('/_next/')
}

/** The response status of the page's newest POST. */
function lastPost(event: NormalEvent): number | undefined {
  const crumb = event.breadcrumbs?.values.findLast((entry) => entry.data?.['method'] === 'POST')
  const status = crumb?.data?.['status_code']
  return typeof status === 'number' ? status : undefined
}
