import { firstError, type PlatformSetup, type SnippetPart } from './snippet.ts'

const install = (pack: string): SnippetPart => ({ where: 'shell', code: `npm install ${pack}` })

/** The SDKs that make traces of page loads only with this integration. The others have it by themselves. */
const untraced = /^@sentry\/(?:browser|react|angular|svelte|solid)$/
const integrations = '\n  integrations: [Sentry.browserTracingIntegration()],'

/** A call of `init` with what every application needs. */
const init = (pack: string): string => `import * as Sentry from '${pack}'

Sentry.init({
  dsn: '__DSN__',
  environment: 'production',${untraced.test(pack) ? integrations : ''}
  // The share of traces that are sent.
  tracesSampleRate: 1,
})`

/** Uploads source maps of each build. The plugin also names the release in the code. */
const vite = (where = 'vite.config.js', framework = '', call = ''): SnippetPart => ({
  where,
  code: `import { sentryVitePlugin } from '@sentry/vite-plugin'${framework}
import { defineConfig } from 'vite'

export default defineConfig({
  build: { sourcemap: 'hidden' },
  plugins: [${call}sentryVitePlugin({ url: '__URL__', org: '__ORG__', project: '__PROJECT__' })],
})`,
})

const vitePlugin = install('--save-dev @sentry/vite-plugin')
const token: SnippetPart = { where: 'environment', code: 'SENTRY_AUTH_TOKEN=' }

/** Uploads the source maps of a build folder without a bundler plugin. */
const upload = (folder: string): SnippetPart => ({
  where: 'shell',
  code: `export SENTRY_URL=__URL__ SENTRY_ORG=__ORG__ SENTRY_PROJECT=__PROJECT__
npx @sentry/cli sourcemaps inject ${folder}
npx @sentry/cli sourcemaps upload --release "$(git rev-parse HEAD)" ${folder}`,
})

const throwLater = (where: string): SnippetPart => ({
  where,
  code: `setTimeout(() => {\n  throw new Error('${firstError}')\n})`,
})

const button = (where: string, attribute: string): SnippetPart => ({
  where,
  code: `<button type="button" ${attribute}>Throw the test error</button>`,
})

const reactButton = (where: string): SnippetPart =>
  button(where, `onClick={() => { throw new Error('${firstError}') }}`)

export const browserSetups: readonly PlatformSetup[] = [
  {
    id: 'javascript',
    install: install('@sentry/browser'),
    files: [{ where: 'main.js', code: init('@sentry/browser') }],
    readable: 'source-maps',
    release: [vitePlugin, vite(), token],
    test: throwLater('main.js'),
  },
  {
    id: 'javascript-react',
    install: install('@sentry/react'),
    files: [
      { where: 'instrument.js', code: init('@sentry/react') },
      {
        where: 'main.jsx',
        code: `import './instrument.js'
import * as Sentry from '@sentry/react'
import { createRoot } from 'react-dom/client'
import App from './App.jsx'

createRoot(document.getElementById('root'), {
  onUncaughtError: Sentry.reactErrorHandler(),
  onCaughtError: Sentry.reactErrorHandler(),
  onRecoverableError: Sentry.reactErrorHandler(),
}).render(<App />)`,
      },
    ],
    readable: 'source-maps',
    release: [vitePlugin, vite('vite.config.js', "\nimport react from '@vitejs/plugin-react'", 'react(), '), token],
    test: reactButton('App.jsx'),
  },
  {
    id: 'javascript-nextjs',
    install: install('@sentry/nextjs'),
    files: [
      {
        where: 'instrumentation-client.ts',
        code: `${init('@sentry/nextjs')}

export const onRouterTransitionStart = Sentry.captureRouterTransitionStart`,
      },
      {
        where: 'instrumentation.ts',
        code: `import * as Sentry from '@sentry/nextjs'

export function register() {
  Sentry.init({ dsn: '__DSN__', environment: 'production', tracesSampleRate: 1 })
}

export const onRequestError = Sentry.captureRequestError`,
      },
      {
        where: 'app/global-error.tsx',
        code: `'use client'
import * as Sentry from '@sentry/nextjs'
import { useEffect } from 'react'

export default function GlobalError({ error }: { error: Error & { digest?: string } }) {
  useEffect(() => {
    Sentry.captureException(error, { tags: { digest: error.digest } })
  }, [error])
  return <html><body><h1>Something went wrong</h1></body></html>
}`,
      },
    ],
    readable: 'source-maps',
    release: [
      {
        where: 'next.config.ts',
        code: `import { withSentryConfig } from '@sentry/nextjs'

export default withSentryConfig({}, {
  sentryUrl: '__URL__',
  org: '__ORG__',
  project: '__PROJECT__',
})`,
      },
      token,
    ],
    test: {
      where: 'app/broken/page.tsx',
      code: `export const dynamic = 'force-dynamic'

export default function Broken() {
  throw new Error('${firstError}')
}`,
    },
  },
  {
    id: 'javascript-vue',
    install: install('@sentry/vue'),
    files: [
      {
        where: 'main.js',
        code: `import * as Sentry from '@sentry/vue'
import { createApp } from 'vue'
import App from './App.vue'

const app = createApp(App)
Sentry.init({
  app,
  dsn: '__DSN__',
  environment: 'production',${integrations}
  // The share of traces that are sent.
  tracesSampleRate: 1,
})
app.mount('#app')`,
      },
    ],
    readable: 'source-maps',
    release: [vitePlugin, vite('vite.config.js', "\nimport vue from '@vitejs/plugin-vue'", 'vue(), '), token],
    test: throwLater('main.js'),
  },
  {
    id: 'javascript-nuxt',
    install: install('@sentry/nuxt'),
    files: [
      {
        where: 'nuxt.config.ts',
        code: `export default defineNuxtConfig({
  modules: ['@sentry/nuxt/module'],
  sourcemap: { client: 'hidden' },
  sentry: { url: '__URL__', org: '__ORG__', project: '__PROJECT__' },
})`,
      },
      { where: 'sentry.client.config.ts', code: init('@sentry/nuxt') },
      { where: 'sentry.server.config.ts', code: init('@sentry/nuxt') },
    ],
    readable: 'source-maps',
    release: [token],
    test: button('pages/broken.vue', `@click="() => { throw new Error('${firstError}') }"`),
  },
  {
    id: 'javascript-angular',
    install: install('@sentry/angular'),
    files: [
      { where: 'src/main.ts', code: `${init('@sentry/angular')}\n\nbootstrapApplication(AppComponent, appConfig)` },
      {
        where: 'src/app/app.config.ts',
        code: `import { type ApplicationConfig, ErrorHandler } from '@angular/core'
import * as Sentry from '@sentry/angular'

export const appConfig: ApplicationConfig = {
  providers: [{ provide: ErrorHandler, useValue: Sentry.createErrorHandler() }],
}`,
      },
    ],
    readable: 'source-maps',
    release: [upload('dist'), token],
    test: throwLater('src/main.ts'),
  },
  {
    id: 'javascript-svelte',
    install: install('@sentry/svelte'),
    files: [{ where: 'main.js', code: init('@sentry/svelte') }],
    readable: 'source-maps',
    release: [
      vitePlugin,
      vite('vite.config.js', "\nimport { svelte } from '@sveltejs/vite-plugin-svelte'", 'svelte(), '),
      token,
    ],
    test: throwLater('main.js'),
  },
  {
    id: 'javascript-sveltekit',
    install: install('@sentry/sveltekit'),
    files: [
      {
        where: 'src/hooks.client.js',
        code: `${init('@sentry/sveltekit')}\n\nexport const handleError = Sentry.handleErrorWithSentry()`,
      },
      {
        where: 'src/hooks.server.js',
        code: `${init('@sentry/sveltekit')}

export const handle = Sentry.sentryHandle()
export const handleError = Sentry.handleErrorWithSentry()`,
      },
    ],
    readable: 'source-maps',
    release: [
      {
        where: 'vite.config.js',
        code: `import { sentrySvelteKit } from '@sentry/sveltekit'
import { sveltekit } from '@sveltejs/kit/vite'
import { defineConfig } from 'vite'

export default defineConfig({
  plugins: [sentrySvelteKit({ url: '__URL__', org: '__ORG__', project: '__PROJECT__' }), sveltekit()],
})`,
      },
      token,
    ],
    test: {
      where: 'src/routes/broken/+page.server.js',
      code: `export function load() {\n  throw new Error('${firstError}')\n}`,
    },
  },
  {
    id: 'javascript-react-router',
    install: install('@sentry/react-router'),
    files: [
      {
        where: 'app/entry.client.tsx',
        code: `${init('@sentry/react-router')}

startTransition(() => {
  hydrateRoot(document, <StrictMode><HydratedRouter /></StrictMode>)
})`,
      },
      { where: 'instrument.server.mjs', code: init('@sentry/react-router') },
      {
        where: 'app/root.tsx',
        code: `export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  if (!isRouteErrorResponse(error)) Sentry.captureException(error)
  return <h1>Something went wrong</h1>
}`,
      },
    ],
    readable: 'source-maps',
    release: [
      {
        where: 'vite.config.ts',
        code: `import { reactRouter } from '@react-router/dev/vite'
import { sentryReactRouter } from '@sentry/react-router'
import { defineConfig } from 'vite'

export default defineConfig((config) => ({
  plugins: [reactRouter(), sentryReactRouter({ org: '__ORG__', project: '__PROJECT__' }, config)],
}))`,
      },
      { where: 'environment', code: 'SENTRY_URL=__URL__\nSENTRY_AUTH_TOKEN=' },
    ],
    test: {
      where: 'app/routes/broken.tsx',
      code: `export async function loader() {\n  throw new Error('${firstError}')\n}`,
    },
  },
  {
    id: 'javascript-astro',
    install: { where: 'shell', code: 'npx astro add @sentry/astro' },
    files: [
      {
        where: 'astro.config.mjs',
        code: `import sentry from '@sentry/astro'
import { defineConfig } from 'astro/config'

export default defineConfig({
  integrations: [sentry({ sentryUrl: '__URL__', org: '__ORG__', project: '__PROJECT__' })],
})`,
      },
      { where: 'sentry.client.config.js', code: init('@sentry/astro') },
      { where: 'sentry.server.config.js', code: init('@sentry/astro') },
    ],
    readable: 'source-maps',
    release: [token],
    test: {
      where: 'src/pages/broken.astro',
      code: `---\nthrow new Error('${firstError}')\n---`,
    },
  },
  {
    id: 'javascript-solid',
    install: install('@sentry/solid'),
    files: [{ where: 'src/index.jsx', code: init('@sentry/solid') }],
    readable: 'source-maps',
    release: [vitePlugin, vite('vite.config.js', "\nimport solid from 'vite-plugin-solid'", 'solid(), '), token],
    test: throwLater('src/index.jsx'),
  },
  {
    id: 'react-native',
    install: install('@sentry/react-native'),
    files: [
      {
        where: 'App.tsx',
        code: `${init('@sentry/react-native')}\n\nexport default Sentry.wrap(App)`,
      },
      {
        where: 'metro.config.js',
        code: `const { getDefaultConfig } = require('@react-native/metro-config')
const { withSentryConfig } = require('@sentry/react-native/metro')

module.exports = withSentryConfig(getDefaultConfig(__dirname))`,
      },
    ],
    readable: 'source-maps',
    release: [
      {
        where: 'sentry.properties',
        code: 'defaults.url=__URL__\ndefaults.org=__ORG__\ndefaults.project=__PROJECT__',
      },
      token,
    ],
    test: {
      where: 'Broken.tsx',
      code: `<Button title="Throw the test error" onPress={() => { throw new Error('${firstError}') }} />`,
    },
  },
  {
    id: 'electron',
    install: install('@sentry/electron'),
    files: [
      { where: 'main.js', code: init('@sentry/electron/main') },
      { where: 'renderer.js', code: `import * as Sentry from '@sentry/electron/renderer'\n\nSentry.init()` },
    ],
    readable: 'source-maps',
    release: [upload('dist'), token],
    test: throwLater('renderer.js'),
  },
]
