import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { beforeAll, expect, inject, test } from 'vitest'
import { api, bootstrap, ingest, type Project, until } from '../product.ts'

// Runs the real sentry-cli against the product. Its binary comes in a separate npm package, which not every platform has.

const product = inject('product')
const state = {} as { project: Project }

function binary(): string | undefined {
  try {
    const from = createRequire(createRequire(import.meta.url).resolve('@sentry/cli/package.json'))
    return join(dirname(from.resolve(`@sentry/cli-${process.platform}-${process.arch}/package.json`)), 'bin/sentry-cli')
  } catch {
    return undefined
  }
}
const file = binary()

function run(words: readonly string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(file ?? '', words, {
    env: {
      ...process.env,
      SENTRY_URL: product.url,
      SENTRY_ORG: 'logcli',
      SENTRY_PROJECT: 'shop',
      SENTRY_AUTH_TOKEN: state.project.token,
      SENTRY_LOAD_DOTENV: '0',
    },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()))
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })))
}

beforeAll(async () => {
  state.project = bootstrap(product, 'logcli', 'shop')
  const items = ['cart loaded', 'pool timeout'].map((body, n) => ({
    timestamp: Date.now() / 1000 - n,
    trace_id: 'b'.repeat(32),
    level: n === 0 ? 'info' : 'error',
    body,
    attributes: {},
  }))
  const header = { type: 'log', item_count: 2, content_type: 'application/vnd.sentry.items.log+json' }
  await ingest(product, state.project, `{}\n${JSON.stringify(header)}\n${JSON.stringify({ items })}\n`)
  await until('two lines', 20_000, async () => {
    const { json } = await api(product, state.project, '/organizations/logcli/logs/')
    return (json as { lines: unknown[] }).lines.length === 2
  })
})

test.skipIf(!file)('sentry-cli logs list shows the newest lines, and those of a query', async () => {
  const all = await run(['logs', 'list'])
  expect(all.output).toContain('cart loaded')
  expect(all.output).toContain('pool timeout')
  expect(all.code).toBe(0)
  const some = await run(['logs', 'list', '--query', 'level:error', '--max-rows', '5'])
  expect(some.output).toContain('pool timeout')
  expect(some.output).not.toContain('cart loaded')
})
