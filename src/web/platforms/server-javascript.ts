import { firstError, type PlatformSetup, type SnippetPart } from './snippet.ts'

const instrument = (pack: string, where = 'instrument.mjs'): SnippetPart => ({
  where,
  code: `import * as Sentry from '${pack}'

Sentry.init({
  dsn: '__DSN__',
  environment: 'production',
  // The share of traces that are sent.
  tracesSampleRate: 1,
})`,
})

const release: readonly SnippetPart[] = [
  {
    where: 'shell',
    code: `export SENTRY_URL=__URL__ SENTRY_ORG=__ORG__ SENTRY_PROJECT=__PROJECT__
npx @sentry/cli sourcemaps inject dist
npx @sentry/cli sourcemaps upload --release "$(git rev-parse HEAD)" dist`,
  },
  { where: 'environment', code: 'SENTRY_RELEASE=\nSENTRY_AUTH_TOKEN=' },
]

const node = { readable: 'source-maps', release } as const
const installNode: SnippetPart = { where: 'shell', code: 'npm install @sentry/node' }
const thrown = `throw new Error('${firstError}')`

export const serverJavaScriptSetups: readonly PlatformSetup[] = [
  {
    ...node,
    id: 'node',
    install: installNode,
    files: [
      instrument('@sentry/node'),
      { where: 'package.json', code: '"scripts": {\n  "start": "node --import ./instrument.mjs server.mjs"\n}' },
    ],
    test: { where: 'server.mjs', code: `setTimeout(() => {\n  ${thrown}\n})` },
  },
  {
    ...node,
    id: 'node-express',
    install: installNode,
    files: [
      instrument('@sentry/node'),
      {
        where: 'server.mjs',
        code: `import './instrument.mjs'
import * as Sentry from '@sentry/node'
import express from 'express'

const app = express()
// Behind all routes, before other error handlers.
Sentry.setupExpressErrorHandler(app)
app.listen(3000)`,
      },
    ],
    test: { where: 'server.mjs', code: `app.get('/broken', () => {\n  ${thrown}\n})` },
  },
  {
    ...node,
    id: 'node-fastify',
    install: installNode,
    files: [
      instrument('@sentry/node'),
      {
        where: 'server.mjs',
        code: `import './instrument.mjs'
import * as Sentry from '@sentry/node'
import Fastify from 'fastify'

const app = Fastify()
Sentry.setupFastifyErrorHandler(app)
await app.listen({ port: 3000 })`,
      },
    ],
    test: { where: 'server.mjs', code: `app.get('/broken', async () => {\n  ${thrown}\n})` },
  },
  {
    ...node,
    id: 'node-nestjs',
    install: { where: 'shell', code: 'npm install @sentry/nestjs' },
    files: [
      instrument('@sentry/nestjs', 'src/instrument.ts'),
      {
        where: 'src/main.ts',
        code: `import './instrument'
import { NestFactory } from '@nestjs/core'
import { AppModule } from './app.module'

const app = await NestFactory.create(AppModule)
await app.listen(3000)`,
      },
      {
        where: 'src/app.module.ts',
        code: `import { Module } from '@nestjs/common'
import { APP_FILTER } from '@nestjs/core'
import { SentryGlobalFilter, SentryModule } from '@sentry/nestjs/setup'

@Module({
  imports: [SentryModule.forRoot()],
  providers: [{ provide: APP_FILTER, useClass: SentryGlobalFilter }],
})
export class AppModule {}`,
      },
    ],
    test: {
      where: 'src/broken.controller.ts',
      code: `@Controller('broken')\nexport class BrokenController {\n  @Get()\n  fail() {\n    ${thrown}\n  }\n}`,
    },
  },
  {
    ...node,
    id: 'bun',
    install: { where: 'shell', code: 'bun add @sentry/bun' },
    files: [
      instrument('@sentry/bun', 'instrument.ts'),
      { where: 'package.json', code: '"scripts": {\n  "start": "bun --preload ./instrument.ts server.ts"\n}' },
    ],
    test: { where: 'server.ts', code: `setTimeout(() => {\n  ${thrown}\n})` },
  },
  {
    ...node,
    id: 'deno',
    install: { where: 'shell', code: 'deno add npm:@sentry/deno' },
    files: [instrument('@sentry/deno', 'main.ts')],
    test: { where: 'main.ts', code: `setTimeout(() => {\n  ${thrown}\n})` },
  },
]
