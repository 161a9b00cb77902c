/** The official SDKs that e2e/clients/clients.test.ts runs, and the outcome of every kind of item they send. */

export const kinds = [
  'error',
  'chain',
  'message',
  'user',
  'tags',
  'breadcrumbs',
  'traces',
  'log',
  'session',
  'check-in',
] as const
export type Kind = (typeof kinds)[number]

/** `counted`: in the ledger only. `none`: the SDK lacks this kind, or does not send it here, with the reason. */
export type Fate = 'stored' | 'counted' | { none: string }

export type ToolchainName = 'browser' | 'node' | 'older-node' | 'next' | 'python' | 'go' | 'java' | 'ruby' | 'rust'

/** `program`: path in e2e/clients. `errors`: types of the plain error and of the chain, innermost first. */
export type Client = {
  name: string
  label: string
  package: string
  version: string
  toolchain: ToolchainName
  program: string
  errors: { plain: string; chain: readonly [string, string] }
  fates: Readonly<Record<Kind, Fate>>
  /** The page load or the request of which the SDK makes a segment by itself, as the list of routes shows it. */
  load?: { route: string; kind: 'page load' | 'request' }
}

const fates = (log: Fate, session: Fate, checkIn: Fate): Client['fates'] => ({
  error: 'stored',
  chain: 'stored',
  message: 'stored',
  user: 'stored',
  tags: 'stored',
  breadcrumbs: 'stored',
  traces: 'stored',
  log,
  session,
  'check-in': checkIn,
})
const counted = 'counted'
const browserless = { none: 'SDKs in browsers send no check-ins.' }
const oldLogs = { none: 'This version has no logs.' }

const inJavaScript = { plain: 'RangeError', chain: ['TypeError', 'Error'] } as const
const inPython = { plain: 'ValueError', chain: ['LookupError', 'RuntimeError'] } as const
const usual = fates('stored', 'stored', counted)
const inBrowser = fates('stored', 'stored', browserless)

const browser = (major: number, version: string, log: Fate): Client => ({
  name: `browser-${major}`,
  label: `Browser ${major}`,
  package: '@sentry/browser',
  version,
  toolchain: 'browser',
  program: 'browser/app.js',
  errors: inJavaScript,
  fates: fates(log, 'stored', browserless),
  load: { route: '/page/cart', kind: 'page load' },
})

const framework = (name: string, label: string, of: string, version: string): Client => ({
  name,
  label,
  package: of,
  version,
  toolchain: 'browser',
  program: `${name}/app.js`,
  errors: inJavaScript,
  fates: inBrowser,
})

const next = (name: string, label: string): Client => ({
  name,
  label,
  package: '@sentry/nextjs',
  version: '11.0.0',
  toolchain: 'next',
  program: name,
  errors: inJavaScript,
  fates: inBrowser,
  load: { route: `/${name}`, kind: 'page load' },
})

const python = (name: string, label: string, route = '/cart'): Client => ({
  name,
  label,
  package: 'sentry-sdk',
  version: '2.75.0',
  toolchain: 'python',
  program: `with_${name}.py`,
  errors: inPython,
  fates: usual,
  load: { route, kind: 'request' },
})

export const clients: readonly Client[] = [
  browser(7, '7.120.4', oldLogs),
  browser(8, '8.55.0', oldLogs),
  browser(9, '9.47.1', 'stored'),
  browser(10, '10.75.2', 'stored'),
  browser(11, '11.12.0', 'stored'),
  {
    ...framework('react-router', 'React Router', '@sentry/react', '11.12.0'),
    load: { route: '/page/:name', kind: 'page load' },
  },
  framework('vue', 'Vue', '@sentry/vue', '11.11.0'),
  framework('svelte', 'Svelte', '@sentry/svelte', '10.75.2'),
  next('next-app', 'Next.js, App Router'),
  next('next-pages', 'Next.js, Pages Router'),
  {
    name: 'node',
    label: 'Node.js 11',
    package: '@sentry/node',
    version: '11.12.0',
    toolchain: 'node',
    program: 'node/main.js',
    errors: inJavaScript,
    fates: usual,
    load: { route: '/cart', kind: 'request' },
  },
  {
    name: 'node-10',
    label: 'Node.js 10',
    package: '@sentry/node',
    version: '10.75.2',
    toolchain: 'older-node',
    program: 'node/main-10.cjs',
    errors: inJavaScript,
    fates: usual,
    load: { route: '/cart', kind: 'request' },
  },
  python('flask', 'Python with Flask', 'cart'),
  python('fastapi', 'Python with FastAPI'),
  python('django', 'Python with Django'),
  {
    name: 'go',
    label: 'Go',
    package: 'sentry-go',
    version: '0.50.0',
    toolchain: 'go',
    program: 'go',
    errors: { plain: '*errors.errorString', chain: ['*errors.errorString', '*main.failure'] },
    fates: fates('stored', { none: 'The SDK for Go has no sessions.' }, counted),
  },
  {
    name: 'java',
    label: 'Java',
    package: 'io.sentry:sentry',
    version: '8.30.0',
    toolchain: 'java',
    program: 'java',
    errors: { plain: 'IllegalStateException', chain: ['IllegalArgumentException', 'RuntimeException'] },
    fates: usual,
  },
  {
    name: 'ruby',
    label: 'Ruby',
    package: 'sentry-ruby',
    version: '5.3.0',
    toolchain: 'ruby',
    program: 'ruby/main.rb',
    errors: { plain: 'ArgumentError', chain: ['IndexError', 'RuntimeError'] },
    fates: fates({ none: 'This version has no logs.' }, 'stored', { none: 'This version has no check-ins.' }),
  },
  {
    name: 'rust',
    label: 'Rust',
    package: 'sentry',
    version: '0.49.5',
    toolchain: 'rust',
    program: 'rust',
    errors: { plain: 'Failure', chain: ['Failure', 'Failure'] },
    fates: usual,
  },
]

/** SDKs that the tests do not run, with the reason. */
export const untested: readonly { label: string; package: string; reason: string }[] = [
  { label: 'PHP', package: 'sentry/sentry', reason: 'the SDK comes from Packagist only, which tests cannot reach' },
  { label: '.NET', package: 'Sentry', reason: 'SDK and toolchain come from NuGet only, which tests cannot reach' },
]
