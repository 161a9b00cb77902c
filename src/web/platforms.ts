/** The platforms of a project. The first ones have their own snippet. */
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

type PlatformId = (typeof platforms)[number]['id']

/** The platform with this id, or undefined. */
export const platformById = (id: string): (typeof platforms)[number] | undefined =>
  platforms.find((platform) => platform.id === id)

/** The platform of a form as stored in a project: null for `other` and unknown ids. */
export const storedPlatform = (id: string): string | null => {
  const platform = platformById(id)?.id ?? 'other'
  return platform === 'other' ? null : platform
}

/** Whether applications of this platform can send from browsers. True for an unknown platform. */
export const sendsFromBrowsers = (id: string | null): boolean =>
  id === null || id === 'other' || id.startsWith('javascript')

/** A file or command to add to an application. `where` is a file name, `shell` or `environment`. */
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

/** The steps to set up the official SDK of this platform with `dsn`, or a generic SDK. */
export function snippetOf(platform: string | null, dsn: string): SnippetPart[] {
  const found = platforms.find((candidate) => candidate.id === platform)
  return ((found && parts[found.id]) ?? generic).map((part) => ({
    ...part,
    code: part.code.replaceAll('__DSN__', dsn),
  }))
}
