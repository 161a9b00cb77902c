import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, inject, test } from 'vitest'
import type { RestLedger } from '../../src/contract/status.ts'
import { api, bootstrap, root, until } from '../product.ts'

// `sentry-cli send-metric` of version 2 sends statsd, which SDKs gave up. Version 3 has no such command.

const product = inject('product')
const cli = join(root, 'node_modules/@sentry/cli-2/bin/sentry-cli')
const run = promisify(execFile)

test.for([
  ['increment', '-n', 'orders', '-v', '2'],
  ['gauge', '-n', 'queue', '-v', '42'],
  ['distribution', '-n', 'latency', '-v', '12.5'],
  ['set', '-n', 'users', '-v', 'u1'],
])('sentry-cli send-metric %s is accepted and counted as unsupported, with advice', async (words) => {
  const project = bootstrap(product, 'send-metric', words[0] ?? '')
  await run(cli, ['send-metric', ...words], { env: { ...process.env, SENTRY_DSN: project.dsn } })
  const rows = await until('the ledger', 20_000, async () => {
    const path = `/organizations/send-metric/ledger/?range=1h&project=${project.id}`
    const ledger = (await api(product, project, path)).json as RestLedger
    return ledger.rows.length > 0 && ledger.rows
  })
  expect(rows).toMatchObject([
    {
      category: 'metric_bucket',
      outcome: 'filtered',
      reason: 'unsupported',
      quantity: 1,
      todo: expect.stringMatching(/SDK|OTLP/),
    },
  ])
})
