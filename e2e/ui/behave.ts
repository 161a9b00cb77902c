// What the cases of behaviour.test.ts do to a page, and what they read of it.
import type { Page, Request, Route } from 'playwright-core'
import { hydrated } from '../browser.ts'
import { until } from '../product.ts'

const actions = (request: Request) => request.method() === 'POST' && 'next-action' in request.headers()

/** Counts the documents that the page loads from now on. */
export function documentsOf(page: Page): { count: number } {
  const documents = { count: 0 }
  page.on('request', (request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) documents.count += 1
  })
  return documents
}

/** What can become of a request for the data of a page; the first six are those that a navigation falls back for. */
export const failures: Record<string, (route: Route) => Promise<void>> = {
  'a reset connection': (route) => route.abort('connectionreset'),
  'a 500 with a page of a proxy': (route) => route.fulfill({ status: 500, contentType: 'text/html', body: 'no' }),
  'a 500 of the right type': (route) => route.fulfill({ status: 500, contentType: 'text/x-component', body: '' }),
  'a page of a proxy': (route) => route.fulfill({ status: 200, contentType: 'text/html', body: '<h1>proxy</h1>' }),
  'data that is none': (route) => route.fulfill({ status: 200, contentType: 'text/x-component', body: '}{ garbage' }),
  'an answer without a body': (route) => route.fulfill({ status: 204 }),
}

const data = /_rsc=/

/** Lets each request for the data of a page meet `failure`. */
export const spoilData = (page: Page, failure: (route: Route) => Promise<void>): Promise<unknown> =>
  page.route(data, failure)

export const mendData = (page: Page): Promise<void> => page.unroute(data)

/** Holds each request that `pattern` finds until `release`, which lets all later ones through too. */
export async function hold(page: Page, pattern: RegExp): Promise<{ held: Route[]; release(): Promise<void> }> {
  const held: Route[] = []
  await page.route(pattern, (route) => void held.push(route))
  return {
    held,
    release: async () => {
      await page.unroute(pattern)
      await Promise.all(held.map((route) => route.continue().catch(() => undefined)))
    },
  }
}

/** Lets the page's server actions meet `failure`. */
export async function spoilActions(page: Page, failure: (route: Route) => Promise<void>): Promise<() => Promise<void>> {
  const each = (route: Route) => (actions(route.request()) ? failure(route) : route.fallback())
  await page.route('**/*', each)
  return () => page.unroute('**/*', each)
}

/** The page's time stands still from now on; only `page.clock.runFor` moves it. */
export async function stopClock(page: Page): Promise<void> {
  await page.clock.pauseAt((await page.evaluate<number>('Date.now()')) + 1000)
}

/** Chunks that the page has loaded by now: those that it cannot stand without. */
export const chunksOf = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(
    `performance.getEntriesByType('resource').map((one) => one.name).filter((name) => /\\/chunks\\/.*\\.js/.test(name))`,
  )

/** A script of the build with what `edit` makes of it, as a broken build would have it. */
export async function editScripts(page: Page, edit: (text: string) => string): Promise<void> {
  await page.route(/\/chunks\/.*\.js/, async (route) => {
    const answer = await route.fetch()
    await route.fulfill({ response: answer, body: edit(await answer.text()) })
  })
}

/**
 * Every document, stream and script that the server sends to the page from now on, as text. Noted before the page has them:
 * a browser forgets the bodies of streams.
 */
export async function sentTo(page: Page): Promise<string[]> {
  const sent: string[] = []
  await page.route('**/*', async (route) => {
    if (!['document', 'fetch', 'script'].includes(route.request().resourceType())) return route.continue()
    const answer = await route.fetch()
    const body = await answer.text()
    sent.push(body)
    await route.fulfill({ response: answer, body })
  })
  return sent
}

type Crumb = { message?: string; category?: string }
type Span = { start_timestamp: number; timestamp: number; description?: string }
/** What of an item of an envelope the cases look at. */
export type Sent = {
  type: string
  body: {
    environment?: string
    release?: string
    tags?: Record<string, string>
    breadcrumbs?: Crumb[]
    spans?: Span[]
    start_timestamp?: number
    timestamp?: number
    contexts?: { trace?: { op?: string; status?: string; data?: Record<string, unknown> } }
    exception?: { values: { type: string; value: string }[] }
  }
}

export const isEnvelope = (url: string): boolean => /\/api\/\d+\/envelope\//.test(url)

/** The items of each envelope that the page sends from now on. */
export function envelopesOf(page: Page): Sent[][] {
  const sent: Sent[][] = []
  page.on('request', (request) => {
    if (request.method() !== 'POST' || !isEnvelope(request.url())) return
    const lines = (request.postDataBuffer() ?? Buffer.alloc(0)).toString().split('\n').slice(1)
    const items: Sent[] = []
    for (let at = 0; at + 1 < lines.length; at += 2) {
      const { type } = JSON.parse(lines[at] ?? '{}') as { type: string }
      items.push({ type, body: JSON.parse(lines[at + 1] ?? '{}') as Sent['body'] })
    }
    sent.push(items)
  })
  return sent
}

export const ofType = (sent: Sent[][], type: string): Sent['body'][] =>
  sent
    .flat()
    .filter((item) => item.type === type)
    .map((item) => item.body)

/** Starts the page's reporter now, and not when the page has been quiet. */
export async function startReporter(page: Page): Promise<void> {
  await hydrated(page)
  await until('the way to the reporter', 5000, () =>
    page.evaluate<boolean>('(window.mishap.loadReporter?.(), window.mishap.report !== undefined)'),
  )
}

/** Hands an error to the reporter, as the error screens do. */
export const reportError = (page: Page, message: string): Promise<unknown> =>
  page.evaluate(`window.mishap.report(new Error(${JSON.stringify(message)}), 'case')`)

/** A request of the page with a name of its own, answered: an activity that the open trace takes in as a span. */
export const act = (page: Page, name: string): Promise<unknown> =>
  page.evaluate(`fetch('/api/health/live?${name}').then((answer) => answer.text())`)

/** The activities of `act` that a trace has taken in. */
export const actsIn = (trace: Sent['body'] | undefined): string[] =>
  (trace?.spans ?? []).flatMap((span) => /\/live\?([\w-]+)/.exec(JSON.stringify(span))?.[1] ?? [])
