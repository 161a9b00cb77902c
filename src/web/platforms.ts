/** What a project can be made for; the first ones have a snippet of their own. */
export const platforms = [
  { id: 'javascript', name: 'Browser JavaScript' },
  { id: 'javascript-react', name: 'React' },
  { id: 'javascript-nextjs', name: 'Next.js' },
  { id: 'node', name: 'Node.js' },
  { id: 'python', name: 'Python' },
  { id: 'javascript-vue', name: 'Vue' },
  { id: 'javascript-angular', name: 'Angular' },
  { id: 'javascript-sveltekit', name: 'SvelteKit' },
  { id: 'php', name: 'PHP' },
  { id: 'ruby', name: 'Ruby' },
  { id: 'java', name: 'Java' },
  { id: 'go', name: 'Go' },
  { id: 'csharp', name: '.NET' },
  { id: 'rust', name: 'Rust' },
  { id: 'other', name: 'Other' },
] as const

export type PlatformId = (typeof platforms)[number]['id']

/** The platform by its id, undefined for what is not in the list. */
export const platformById = (id: string): (typeof platforms)[number] | undefined =>
  platforms.find((platform) => platform.id === id)

/** The platform that a form names, as a project keeps it: null for `other` and for what is not in the list. */
export const storedPlatform = (id: string): string | null => {
  const platform = platformById(id)?.id ?? 'other'
  return platform === 'other' ? null : platform
}

/** Whether applications of a platform send from browsers; of none that was said, they may. */
export const sendsFromBrowsers = (id: string | null): boolean =>
  id === null || id === 'other' || id.startsWith('javascript')

/** One file or command to put into an application. `where` is a file name, or `shell`. */
export type SnippetPart = { where: string; code: string }

const browser = (pack: string, extra = ''): string => `import * as Sentry from '${pack}'

Sentry.init({
  dsn: '__DSN__',
  environment: 'production',${extra}
})`

const throwLater = "setTimeout(() => {\n  throw new Error('First error for Mishap')\n})"

const parts: Partial<Record<PlatformId, SnippetPart[]>> = {
  javascript: [
    { where: 'shell', code: 'npm install @sentry/browser' },
    { where: 'main.js', code: browser('@sentry/browser') },
    { where: 'main.js', code: throwLater },
  ],
  'javascript-react': [
    { where: 'shell', code: 'npm install @sentry/react' },
    {
      where: 'main.jsx',
      code: `${browser('@sentry/react')}

createRoot(document.getElementById('root'), {
  onUncaughtError: Sentry.reactErrorHandler(),
  onCaughtError: Sentry.reactErrorHandler(),
  onRecoverableError: Sentry.reactErrorHandler(),
}).render(<App />)`,
    },
    { where: 'main.jsx', code: throwLater },
  ],
  'javascript-nextjs': [
    { where: 'shell', code: 'npm install @sentry/nextjs' },
    {
      where: 'instrumentation-client.js',
      code: `${browser('@sentry/nextjs')}\n\nexport const onRouterTransitionStart = Sentry.captureRouterTransitionStart`,
    },
    {
      where: 'instrumentation.js',
      code: `import * as Sentry from '@sentry/nextjs'

export function register() {
  Sentry.init({ dsn: '__DSN__', environment: 'production' })
}

export const onRequestError = Sentry.captureRequestError`,
    },
    {
      where: 'app/global-error.jsx',
      code: `'use client'
import * as Sentry from '@sentry/nextjs'
import { useEffect } from 'react'

export default function GlobalError({ error }) {
  useEffect(() => {
    Sentry.captureException(error, { tags: { digest: error.digest } })
  }, [error])
  return <html><body><h1>Something went wrong</h1></body></html>
}`,
    },
  ],
  node: [
    { where: 'shell', code: 'npm install @sentry/node' },
    { where: 'instrument.mjs', code: browser('@sentry/node') },
    { where: 'shell', code: 'node --import ./instrument.mjs server.mjs' },
    { where: 'server.mjs', code: throwLater },
  ],
  python: [
    { where: 'shell', code: 'pip install sentry-sdk' },
    {
      where: 'main.py',
      code: "import sentry_sdk\n\nsentry_sdk.init(\n    dsn='__DSN__',\n    environment='production',\n)\n\nraise Exception('First error for Mishap')",
    },
  ],
}

const generic: SnippetPart[] = [{ where: 'environment', code: 'SENTRY_DSN=__DSN__\nSENTRY_ENVIRONMENT=production' }]

/** The steps that put an official SDK of this platform to work with `dsn`; a generic one where there is none of our own. */
export function snippetOf(platform: string | null, dsn: string): SnippetPart[] {
  const found = platforms.find((item) => item.id === platform)
  return ((found && parts[found.id]) ?? generic).map((part) => ({
    ...part,
    code: part.code.replaceAll('__DSN__', dsn),
  }))
}
