import { spawn } from 'node:child_process'
import { expect, inject, test } from 'vitest'
import { api, bootstrap, root, until } from '../product.ts'

const product = inject('product')

/** Runs a small program with the official Node SDK, like a user's application. Returns its exit code. */
function run(program: string, dsn: string): Promise<number | null> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd: root,
    env: { ...process.env, DSN: dsn },
    stdio: ['ignore', 'inherit', 'ignore'],
  })
  return new Promise((resolve) => child.once('exit', resolve))
}

const program = `
import * as Sentry from '@sentry/node'
Sentry.init({ dsn: process.env.DSN, release: 'shop@1.2.3', environment: 'production', tracesSampleRate: 1, sendDefaultPii: true })
Sentry.setUser({ id: '42', email: 'ada@example.test' })
Sentry.setTag('digest', '2774530904')
Sentry.addBreadcrumb({ category: 'cart', message: 'item added', data: { sku: 'A1', password: 'hunter2' } })
function totalOf(cart) { return cart.items.length }
try { totalOf({}) } catch (error) { Sentry.captureException(new Error('checkout failed', { cause: error })) }
Sentry.captureMessage('paid order 1234 in 56ms', 'warning')
await Sentry.flush(5000)
`

type Issue = { id: string; title: string; culprit: string; level: string; shortId: string }
type Entry = {
  type: string
  data: {
    values: {
      type: string
      value: string
      stacktrace: { frames: { function: string | null; inApp: boolean; context: unknown[] }[] } | null
      message?: string
    }[]
  }
}
type Event = {
  entries: Entry[]
  user: { id: string; email: string }
  release: { version: string }
  environment: string
  digest: { value: string; found: string }
  tags: { key: string; value: string }[]
}

test('@sentry/node: an error with its cause, and a message, become issues with frames, user, release and digest', async () => {
  const project = bootstrap(product, 'sdknode', 'api', 'node')
  expect(await run(program, project.dsn)).toBe(0)
  const issues = await until('two issues', 10_000, async () => {
    const found = (await api(product, project, '/organizations/sdknode/issues/?query=')).json as Issue[]
    return found.length >= 2 && found
  })
  expect(issues.map((issue) => issue.title).sort()).toEqual(['Error: checkout failed', 'paid order 1234 in 56ms'])
  const failed = issues.find((issue) => issue.title.startsWith('Error'))
  const event = (await api(product, project, `/organizations/sdknode/issues/${failed?.id}/events/latest/`))
    .json as Event
  const exceptions = event.entries.find((entry) => entry.type === 'exception')?.data.values ?? []
  expect(exceptions.map((exception) => exception.type)).toEqual(['TypeError', 'Error'])
  expect(exceptions[0]?.stacktrace?.frames.at(-1)).toMatchObject({ function: 'totalOf' })
  expect(event).toMatchObject({
    user: { id: '42', email: 'ada@example.test' },
    release: { version: 'shop@1.2.3' },
    environment: 'production',
    digest: { value: '2774530904' },
  })
  expect(JSON.stringify(event)).not.toContain('hunter2')
  const found = await api(product, project, '/organizations/sdknode/digests/2774530904/')
  expect(found.status).toBe(200)
  expect(found.text).toContain(String(failed?.shortId))
})
