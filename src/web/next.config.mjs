// Built by scripts/bootstrap.mjs with the pinned Node, from the package root:
//   MISHAP_BUILD_ID=<hash of the sources> NEXT_TELEMETRY_DISABLED=1 node node_modules/next/dist/bin/next build src/web
// Output: src/web/.next/standalone (its server stands at src/web/.next/standalone/src/web); .next/static is copied beside it by hand.
// With MISHAP_BASE_PATH=/mishap, the path of MISHAP_URL, the output is src/web/.next-at-mishap: Next writes the path into it.
import { resolve } from 'node:path'
import { env } from 'node:process'

const root = resolve(import.meta.dirname, '../..')
const basePath = env.MISHAP_BASE_PATH ?? ''

/** @type {import('next').NextConfig} */
const config = {
  output: 'standalone',
  basePath,
  env: { MISHAP_BASE_PATH: basePath },
  // the same rule as screensFolder of src/base/config.ts
  distDir: basePath === '' ? '.next' : `.next-at${basePath.replaceAll('/', '-')}`,
  poweredByHeader: false,
  // Nothing here compresses: it would buffer server-sent events. A proxy in front may (docs/operating.md).
  compress: false,
  // tsc checks the whole tree in `npm run check`.
  typescript: { ignoreBuildErrors: true },
  outputFileTracingRoot: root,
  // Only what pages import is traced; these belong to process app itself and come through globalThis.
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
  // next-intl asks for its configuration under this name; its own plugin would look in the wrong folder, because we build from the package root.
  turbopack: { root, resolveAlias: { 'next-intl/config': './request.ts' } },
  generateBuildId: () => env.MISHAP_BUILD_ID ?? 'development',
  images: { unoptimized: true },
  reactStrictMode: true,
  // Addresses as Sentry writes them, in old mails, chats and tools, lead to the same screen here. `query` is our `q`.
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
      ['/settings/:org', '/o/:org/settings/organization'],
      ['/settings/:org/members', '/o/:org/settings/members'],
      ['/settings/:org/projects/:project', '/o/:org/settings/projects/:project'],
      [
        '/settings/:org/projects/:project/:part(keys|filters|ownership|environments|source-maps)',
        '/o/:org/settings/projects/:project/:part',
      ],
      // the oldest form; `o` is the first part of our own addresses
      ['/:org([^/]{2,})/:project/issues/:id(\\d+)', '/o/:org/issues/:id'],
    ].flatMap(([source, destination]) => {
      const plain = { source, destination, permanent: false }
      if (!destination.endsWith('/issues')) return [plain]
      const has = [{ type: 'query', key: 'query', value: '(?<words>.+)' }]
      return [{ ...plain, has, destination: `${destination}?q=:words` }, plain]
    }),
  // A dynamic segment can't have a suffix: issues/WEB-1.md and .json are answered by route handlers of their own.
  rewrites: async () =>
    ['md', 'json'].flatMap((form) => [
      { source: `/o/:org/issues/:id([^/]+)\\.${form}`, destination: `/o/:org/issues/:id/${form}` },
      {
        source: `/o/:org/issues/:id/events/:event([^/]+)\\.${form}`,
        destination: `/o/:org/issues/:id/${form}/:event`,
      },
    ]),
}

export default config
