/** Diagnostics of events by refine, except their grouping: docs/diagnostics.md. Codes are stable, sentences are not. */

/** Invariants of React and Next.js by code, each with its meaning and its usual cause. */
export const invariants = {
  'layout-router': {
    name: 'The layout router is not mounted',
    cause:
      'A part of the App Router was rendered outside its tree: next/navigation in a separate root (portal, e-mail, test), two copies of Next.js, or a segment from another build.',
  },
  'app-router': {
    name: 'The App Router is not mounted',
    cause:
      'useRouter of next/navigation was called without an App Router: in pages/, in a test, in Storybook, or in a second React root.',
  },
  'pages-router': {
    name: 'The Pages Router is not mounted',
    cause: 'useRouter of next/router was called in app/, on the server, or in a test without a router.',
  },
  'router-early': {
    name: 'The router was used before it started',
    cause: 'Code navigated while the page was still starting: a third-party script, or a module’s top level.',
  },
  'framework-bug': {
    name: 'Next.js reached a state that it considers impossible',
    cause:
      'Usually the client and the server run different builds, a proxy changes responses, or Next.js has a bug. Check the release first, then the issues of Next.js.',
  },
  'bootstrap-missing': {
    name: 'The page’s own data did not arrive',
    cause: 'The document was cut off, or a proxy, an optimizer or a policy removed its inline scripts.',
  },
  'page-closed': {
    name: 'The connection closed before the page was complete',
    cause: 'The user left or lost the network, or a proxy ended a streamed response (timeout, buffering).',
  },
  'steering-caught': {
    name: 'A redirect or notFound was caught as an error',
    cause:
      'redirect() or notFound() was called inside try, and the catch reported the framework’s control signal as an error.',
  },
  'request-scope': {
    name: 'Request data was read outside a request',
    cause:
      'cookies(), headers() or a similar function ran at a module’s top level, in a cached function, or after the response.',
  },
  'static-dynamic': {
    name: 'A statically built page read the request',
    cause: 'A page or its layout reads cookies, headers or search params only on some code paths.',
  },
  'search-suspense': {
    name: 'Search params were read without a Suspense boundary',
    cause: 'useSearchParams() in a statically built page needs a Suspense boundary above it.',
  },
  'render-omitted': {
    name: 'The server failed to render, and the production build hides its message',
    cause: 'The error itself happened on the server. Look up its digest.',
  },
  'client-props': {
    name: 'A client component got a prop that cannot be sent to it',
    cause: 'A server component passes a function, a class instance or a symbol as a prop.',
  },
  'hook-call': {
    name: 'A hook was called outside a component',
    cause: 'The hook is in a plain function or a class, or the page has two copies of React.',
  },
  'hook-order': {
    name: 'A component called a different number of hooks than before',
    cause: 'A hook is after an early return, in a condition or in a loop.',
  },
  'update-loop': {
    name: 'A component updates itself endlessly',
    cause: 'State is set during rendering, or by an effect whose dependencies change every time.',
  },
  'element-type': {
    name: 'The rendered value is not a component',
    cause: 'The import does not exist: default and named exports are mixed up, or the import is circular.',
  },
  'child-object': {
    name: 'An object was rendered as text',
    cause: 'A date, a promise or an API response is rendered between tags.',
  },
  'suspended-sync': {
    name: 'A component suspended while it handled an input',
    cause: 'The update that loads data is not inside startTransition, and no Suspense boundary is near.',
  },
  'foreign-dom': {
    name: 'Something other than React changed the page’s elements',
    cause: 'A translator or an extension moved nodes, or your own code changed elements that React renders.',
  },
} as const satisfies Record<string, { name: string; cause: string }>
export type InvariantId = keyof typeof invariants
export const invariantIds = Object.keys(invariants) as InvariantId[]

/** Causes of different renderings by server and browser. */
export const hydrationCauses = {
  nesting: 'HTML does not allow this nesting of tags, so the browser moved them.',
  extension: 'A browser extension changed the page before React hydrated it.',
  translator: 'A translator changed the texts before React hydrated the page.',
  'date-locale': 'The server formatted a date, time or number for another language or time zone.',
  'random-time': 'Server and browser each created a value that differs every time: a random number, an id or the time.',
  'browser-only': 'The browser rendered something that the server did not, or the other way around.',
  unknown: 'The event does not show the difference, or the difference does not show its cause.',
} as const
export type HydrationCause = keyof typeof hydrationCauses

/** Failures of an old tab after a deploy. */
export const skewKinds = {
  chunk: 'A script of an older build no longer exists.',
  'dynamic-import': 'A module of an older build, loaded on demand, no longer exists.',
  'server-action': 'The server does not know an action that an older or newer build calls.',
  'build-id': 'The client requested data or manifests of another build.',
  rsc: 'A server component payload does not match the build that reads it.',
} as const
export type SkewKind = keyof typeof skewKinds

/** Reasons why the team cannot fix an event. */
export const noiseKinds = {
  bot: 'A crawler or a scanner ran the page.',
  localhost: 'The page was served from a local machine.',
  extension: 'A browser extension threw it.',
  translator: 'A translator changed the page while the application was using it.',
  'web-view': 'The app that shows the page in its web view injected a script that failed.',
  'ad-blocker': 'A blocker stopped an advertising or tracking script from loading.',
  'third-party': 'A third-party script threw it.',
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
export type Diagnostics = {
  react?: { code: number; message?: string }
  invariant?: { id: InvariantId; found: string }
  logged?: { by: 'boundary' | 'console'; type?: string; value?: string; component?: string; boundary?: string }
  hydration?: { cause: HydrationCause; evidence?: string; component?: string; differences: Difference[] }
  skew?: { kind: SkewKind; found: string }
  noise?: { kind: NoiseKind; found: string }
}
