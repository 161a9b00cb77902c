// scripts/bootstrap.mjs builds this with the pinned Node, from the package root:
// - MISHAP_BUILD_ID=<hash of the sources> NEXT_TELEMETRY_DISABLED=1 node node_modules/next/dist/bin/next build src/web
// - Output: src/web/.next/standalone, with the server in its src/web. The script copies .next/static there.
// - MISHAP_BUILD_CACHE=1 keeps a cache for the next build.
// - With MISHAP_BASE_PATH=/mishap (the path of MISHAP_URL): src/web/.next-at-mishap, because Next inlines the path.
import { resolve } from 'node:path'
import { env } from 'node:process'

const root = resolve(import.meta.dirname, '../..')
const basePath = env.MISHAP_BASE_PATH ?? ''

/** @type {import('next').NextConfig} */
const config = {
  output: 'standalone',
  basePath,
  env: { MISHAP_BASE_PATH: basePath },
  // The same rule as screensFolder in src/base/config.ts.
  distDir: basePath === '' ? '.next' : `.next-at${basePath.replaceAll('/', '-')}`,
  poweredByHeader: false,
  // No compression: it would buffer server-sent events. A proxy can compress (docs/operating.md).
  compress: false,
  // `npm run check` runs tsc on the whole tree.
  typescript: { ignoreBuildErrors: true },
  outputFileTracingRoot: root,
  // Exclude packages that only process app uses: pages reach them through globalThis.
  outputFileTracingExcludes: {
    '*': [
      'node_modules/chdb/**',
      'node_modules/better-auth/**',
      'node_modules/node-*/**',
      'node_modules/typescript/**',
      'data/**',
      '.build/**',
    ],
  },
  serverExternalPackages: ['chdb', 'better-auth', '@clickhouse/client', 'kysely', 'pino'],
  // next-intl imports its configuration by this name. Its own plugin searches the wrong folder: the build runs in root.
  // The other alias and the rule are what the plugin sets for `messages.precompile`: the build parses the messages, so
  // that browsers do not load a parser of 9 KiB.
  turbopack: {
    root,
    resolveAlias: {
      'next-intl/config': './request.ts',
      'use-intl/format-message': '../../node_modules/use-intl/dist/esm/production/format-message/format-only.js',
    },
    rules: {
      './messages/*.json': {
        loaders: [
          {
            loader: 'next-intl/extractor/catalogLoader',
            options: { messages: { format: 'json', precompile: true }, sourceLocale: 'en' },
          },
        ],
        as: '*.js',
      },
    },
  },
  generateBuildId: () => env.MISHAP_BUILD_ID ?? 'development',
  images: { unoptimized: true },
  reactStrictMode: true,
  experimental: {
    turbopackFileSystemCacheForBuild: env.MISHAP_BUILD_CACHE === '1',
    // A page is loaded when somebody opens it. Loaded at the start, all of them took 9 to 11 MB.
    preloadEntriesOnStart: false,
  },
  // Redirects the URL scheme of Sentry, which old mails, chats and tools contain. `query` becomes `q`.
  redirects: async () =>
    [
      ['/organizations/:org', '/o/:org'],
      ['/organizations/:org/issues', '/o/:org/issues'],
      ['/organizations/:org/issues/:id(\\d+|[\\w-]+-\\w+)', '/o/:org/issues/:id'],
      ['/organizations/:org/issues/:id/events', '/o/:org/issues/:id/events'],
      ['/organizations/:org/issues/:id/events/:event', '/o/:org/issues/:id/events/:event'],
      [
        '/organizations/:org/issues/:id/:part(tags|activity|feedback|attachments|similar|merged)/:rest*',
        '/o/:org/issues/:id',
      ],
      ['/organizations/:org/releases', '/o/:org/releases'],
      ['/organizations/:org/releases/:version', '/o/:org/releases/:version'],
      ['/organizations/:org/projects', '/o/:org/projects'],
      ['/organizations/:org/projects/:project', '/o/:org/issues?project=:project'],
      ['/organizations/:org/:part(user-feedback|feedback)', '/o/:org/feedback'],
      ['/organizations/:org/performance/trace/:trace', '/t/:trace'],
      ['/organizations/:org/traces/trace/:trace', '/t/:trace'],
      // Mishap's own screens before they moved into the settings.
      ['/o/:org/status', '/o/:org/settings/status'],
      ['/o/:org/projects/:project/ingest', '/o/:org/settings/projects/:project/rejected-data'],
      ['/settings/:org', '/o/:org/settings/organization'],
      ['/settings/:org/members', '/o/:org/settings/members'],
      ['/settings/:org/projects/:project', '/o/:org/settings/projects/:project'],
      [
        '/settings/:org/projects/:project/:part(keys|filters|ownership|environments|source-maps)',
        '/o/:org/settings/projects/:project/:part',
      ],
      // The oldest form. The exclusion of one letter protects Mishap's own paths under `/o`.
      ['/:org([^/]{2,})/:project/issues/:id(\\d+)', '/o/:org/issues/:id'],
    ].flatMap(([source, destination]) => {
      const plain = { source, destination, permanent: false }
      if (!destination.endsWith('/issues')) return [plain]
      const has = [{ type: 'query', key: 'query', value: '(?<words>.+)' }]
      return [{ ...plain, has, destination: `${destination}?q=:words` }, plain]
    }),
  // A dynamic segment cannot have a suffix, so route handlers answer issues/WEB-1.md and .json.
  rewrites: async () => [
    { source: '/o/:org/traces/:id([^/]+)\\.md', destination: '/o/:org/traces/:id/md' },
    ...['md', 'json'].flatMap((form) => [
      { source: `/o/:org/issues/:id([^/]+)\\.${form}`, destination: `/o/:org/issues/:id/${form}` },
      {
        source: `/o/:org/issues/:id/events/:event([^/]+)\\.${form}`,
        destination: `/o/:org/issues/:id/${form}/:event`,
      },
    ]),
  ],
}

export default config
