// Writes docs/screenshot.png and docs/screenshot-dark.png for the README. It starts the product, sends two weeks of
// invented errors of a shop, signs in and takes a screenshot of the issue list in each theme.
// Run `node scripts/screenshot.ts` after a build.
import { join } from 'node:path'
import { openBrowser, openPage, signIn } from '../e2e/browser.ts'
import { api, bootstrap, discard, envelopeOf, errorEvent, ingest, ready, root, start, until } from '../e2e/product.ts'

type DemoIssue = {
  type: string
  value: string
  culprit: string
  level: string
  times: number
  users: number
  handled: boolean
}

const demoIssues: readonly DemoIssue[] = [
  {
    type: 'TypeError',
    value: "Cannot read properties of undefined (reading 'total')",
    culprit: 'checkout/CartSummary.tsx',
    level: 'error',
    times: 96,
    users: 61,
    handled: false,
  },
  {
    type: 'ChunkLoadError',
    value: 'Loading chunk 418 failed (timeout: /_next/static/chunks/418.js)',
    culprit: 'webpack/runtime.js',
    level: 'error',
    times: 48,
    users: 40,
    handled: true,
  },
  {
    type: 'PaymentDeclinedError',
    value: 'Issuer declined with code 05 (do_not_honor)',
    culprit: 'api/pay/route.ts',
    level: 'warning',
    times: 70,
    users: 52,
    handled: true,
  },
  {
    type: 'HydrationError',
    value: 'Text content did not match. Server: "21 Nov" Client: "20 Nov"',
    culprit: 'ui/DateBadge.tsx',
    level: 'error',
    times: 30,
    users: 11,
    handled: false,
  },
  {
    type: 'OperationalError',
    value: 'remaining connection slots are reserved for superuser',
    culprit: 'billing/db.ts',
    level: 'fatal',
    times: 64,
    users: 31,
    handled: false,
  },
  {
    type: 'TimeoutError',
    value: 'The operation was aborted due to timeout after 8000 ms',
    culprit: 'lib/http.ts',
    level: 'warning',
    times: 55,
    users: 44,
    handled: true,
  },
  {
    type: 'RangeError',
    value: 'Invalid time value',
    culprit: 'reports/range.ts',
    level: 'error',
    times: 21,
    users: 17,
    handled: false,
  },
  {
    type: 'SyntaxError',
    value: 'Unexpected token < in JSON at position 0',
    culprit: 'api/client.ts',
    level: 'error',
    times: 39,
    users: 29,
    handled: false,
  },
  {
    type: 'ValidationError',
    value: 'Expected number, received string at "quantity"',
    culprit: 'cart/schema.ts',
    level: 'info',
    times: 26,
    users: 20,
    handled: true,
  },
  {
    type: 'AbortError',
    value: 'The user aborted a request',
    culprit: 'search/suggest.ts',
    level: 'info',
    times: 14,
    users: 12,
    handled: true,
  },
  {
    type: 'QuotaExceededError',
    value: "Failed to execute 'setItem' on 'Storage'",
    culprit: 'cart/persist.ts',
    level: 'warning',
    times: 18,
    users: 9,
    handled: true,
  },
  {
    type: 'ReferenceError',
    value: 'gtag is not defined',
    culprit: 'analytics/track.ts',
    level: 'error',
    times: 12,
    users: 12,
    handled: false,
  },
]

const product = await start({ env: { MISHAP_SELF_REPORTING: 'off' } })
await ready(product)
const project = bootstrap(product, 'acme', 'web', 'javascript-nextjs', 'ada@acme.test')
const now = Date.now()
for (const [order, demoIssue] of demoIssues.entries()) {
  for (let i = 0; i < demoIssue.times; i++) {
    // More events in recent days. Each issue gets its own pattern.
    const age = ((i * 7919 + order * 104_729) % 1000) / 1000
    const timestamp = (now - age ** 2 * 13 * 86_400_000 - order * 400_000) / 1000
    const exception = {
      values: [
        {
          type: demoIssue.type,
          value: demoIssue.value,
          mechanism: { type: 'generic', handled: demoIssue.handled },
          stacktrace: {
            frames: [
              {
                filename: `https://shop.acme.test/${demoIssue.culprit}`,
                function: demoIssue.type.replace('Error', ''),
                lineno: 12,
                colno: 5,
                in_app: true,
              },
            ],
          },
        },
      ],
    }
    const event = errorEvent(demoIssue.type, demoIssue.value, {
      timestamp,
      level: demoIssue.level,
      exception,
      transaction: demoIssue.culprit,
      user: { id: String(i % demoIssue.users) },
      release: 'shop@4.18.0',
      environment: 'production',
    })
    await ingest(product, project, envelopeOf(event))
  }
}
await until(
  'all issues',
  30_000,
  async () =>
    ((await api(product, project, '/organizations/acme/issues/?query=')).json as unknown[]).length ===
    demoIssues.length,
)
const browser = await openBrowser()
const { page } = await openPage(browser, product.url)
await signIn(page, product.url, 'ada@acme.test')
for (const [theme, file] of [
  ['light', 'screenshot.png'],
  ['dark', 'screenshot-dark.png'],
] as const) {
  await page.emulateMedia({ colorScheme: theme })
  await page.goto(`${product.url}/o/acme/issues?sort=freq`)
  await page
    .locator('[data-id]')
    .nth(demoIssues.length - 1)
    .waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.waitForTimeout(500)
  await page.screenshot({ path: join(root, 'docs', file) })
}
await browser.close()
await discard(product)
