/** Diagnostics of events by refine, except their grouping: docs/diagnostics.md. Codes are stable, sentences are not. */

/** Invariants of React and Next.js by code, each with its meaning and its usual cause. */
export const invariants = {
  'layout-router': {
    name: 'The layout router is not mounted',
    cause:
      'A part of the App Router was rendered outside of its tree: next/navigation in a root of its own (portal, e-mail, test), two copies of Next.js, or a segment that came from another build.',
  },
  'app-router': {
    name: 'The app router is not mounted',
    cause:
      'useRouter of next/navigation was called where no App Router is: in pages/, in a test, in a Storybook, or in a second React root.',
  },
  'pages-router': {
    name: 'The pages router is not mounted',
    cause: 'useRouter of next/router was called in app/, on the server, or in a test without a router.',
  },
  'router-early': {
    name: 'The router was used before it started',
    cause: 'Code navigated while the page was still starting: a script of another party, or a module’s top level.',
  },
  'framework-bug': {
    name: 'Next.js found itself in a state that it holds to be impossible',
    cause:
      'Mostly a client and a server of different builds, a proxy that changes answers, or a mistake in Next.js itself: look at the release, then at its issues.',
  },
  'bootstrap-missing': {
    name: 'The page’s own data did not arrive',
    cause: 'The document was cut off, or a proxy, an optimizer or a policy took its inline scripts away.',
  },
  'page-closed': {
    name: 'The connection closed before the page was complete',
    cause: 'The person left or lost the network, or a proxy ended a streamed answer (time-out, buffering).',
  },
  'steering-caught': {
    name: 'A redirect or a not-found was caught as an error',
    cause: 'redirect() or notFound() was called within try, and the catch reported what steers the framework.',
  },
  'request-scope': {
    name: 'Something of a request was read where there is none',
    cause: 'cookies(), headers() or the like ran at a module’s top level, in a cached function, or after the answer.',
  },
  'static-dynamic': {
    name: 'A page that was built as static read the request',
    cause: 'A page or its layout reads cookies, headers or the search of a request only on some of its ways.',
  },
  'search-suspense': {
    name: 'The search of the address was read without a Suspense boundary',
    cause: 'useSearchParams() in a page that is built as static needs a Suspense boundary above it.',
  },
  'render-omitted': {
    name: 'The server failed to render; its message was taken out of the production build',
    cause: 'The error itself came to the server: look its digest up.',
  },
  'client-props': {
    name: 'Something was given to a client component that can’t be sent to it',
    cause: 'A server component passes a function, a class’s object or a symbol as a prop.',
  },
  'hook-call': {
    name: 'A hook was called outside of a component',
    cause: 'A hook in a plain function or in a class, or two copies of React in one page.',
  },
  'hook-order': {
    name: 'A component called another number of hooks than before',
    cause: 'A hook stands behind an early return, in a condition or in a loop.',
  },
  'update-loop': {
    name: 'A component updates itself without end',
    cause: 'State is set while rendering, or by an effect whose dependencies change each time.',
  },
  'element-type': {
    name: 'What was rendered is no component',
    cause: 'An import that does not exist: default and named exports mixed up, or a circular import.',
  },
  'child-object': {
    name: 'An object was rendered as text',
    cause: 'A date, a promise or the answer of an API stands between tags.',
  },
  'suspended-sync': {
    name: 'A component suspended while it answered an input',
    cause: 'The update that loads something is not within startTransition, and no Suspense boundary is near.',
  },
  'foreign-dom': {
    name: 'The page’s elements were changed by something else than React',
    cause: 'A translator or an extension moved nodes, or own code changed what React renders.',
  },
} as const satisfies Record<string, { name: string; cause: string }>
export type InvariantId = keyof typeof invariants
export const invariantIds = Object.keys(invariants) as InvariantId[]

/** Causes of different renderings by server and browser. */
export const hydrationCauses = {
  nesting: 'HTML does not allow these tags within each other, so the browser moved them.',
  extension: 'An extension of the browser changed the page before React took it over.',
  translator: 'A translator changed the texts before React took the page over.',
  'date-locale': 'A date, time or number was written for another language or time zone on the server.',
  'random-time': 'A value that is another each time (a random number, an id, the clock) was made on both sides.',
  'browser-only': 'The browser rendered something that the server did not, or the other way round.',
  unknown: 'The event does not say what differed, or what differed does not say why.',
} as const
export type HydrationCause = keyof typeof hydrationCauses

/** Failures of an old tab after a deploy. */
export const skewKinds = {
  chunk: 'A script of an older build is not there any more.',
  'dynamic-import': 'A module of an older build, loaded on demand, is not there any more.',
  'server-action': 'The server does not know an action that an older or newer build calls.',
  'build-id': 'Data or manifests of another build were asked for.',
  rsc: 'A payload of server components does not fit the build that reads it.',
} as const
export type SkewKind = keyof typeof skewKinds

/** Reasons why the team cannot fix an event. */
export const noiseKinds = {
  bot: 'A crawler or a scanner ran the page.',
  localhost: 'The page was served from somebody’s own machine.',
  extension: 'An extension of the browser threw it.',
  translator: 'A translator changed the page under the application.',
  'web-view': 'The application that shows the page in its web view injected a script that failed.',
  'ad-blocker': 'A blocker kept an advertising or measuring script from loading.',
  'third-party': 'A script of another party threw it.',
} as const
export type NoiseKind = keyof typeof noiseKinds

/** A normalized difference between the renderings of server and browser. A missing side is absent. */
export type Difference = {
  what: 'text' | 'attribute' | 'element' | 'html'
  /** Name of the attribute. */
  name?: string
  server?: string
  client?: string
}

/**
 * Diagnostics of one event; absent ones were not found. `found` is the recognized text, at most 200 characters.
 * `react`: the text of a minified error; without `message` its number is unknown. `logged`: an error that was only
 * written to the console, by React for a boundary or by the application.
 */
export type Signs = {
  react?: { code: number; message?: string }
  invariant?: { id: InvariantId; found: string }
  logged?: { by: 'boundary' | 'console'; type?: string; value?: string; component?: string; boundary?: string }
  hydration?: { cause: HydrationCause; evidence?: string; component?: string; differences: Difference[] }
  skew?: { kind: SkewKind; found: string }
  noise?: { kind: NoiseKind; found: string }
}
