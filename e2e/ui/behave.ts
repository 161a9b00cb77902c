// Actions and observations on a page for the cases of behaviour.test.ts.
import type { APIResponse, Page, Request, Route } from 'playwright-core'
import { hydrated } from '../browser.ts'
import { until } from '../product.ts'

const actions = (request: Request) => request.method() === 'POST' && 'next-action' in request.headers()

/** Counts the documents that the page loads after this call. */
export function documentsOf(page: Page): { count: number } {
  const documents = { count: 0 }
  page.on('request', (request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) documents.count += 1
  })
  return documents
}

/** Ways in which a request for page data can fail. For the first six, a navigation falls back to a full page load. */
export const failures: Record<string, (route: Route) => Promise<void>> = {
  'a reset connection': (route) => route.abort('connectionreset'),
  'a 500 with a page of a proxy': (route) => route.fulfill({ status: 500, contentType: 'text/html', body: 'no' }),
  'a 500 of the right type': (route) => route.fulfill({ status: 500, contentType: 'text/x-component', body: '' }),
  'a page of a proxy': (route) => route.fulfill({ status: 200, contentType: 'text/html', body: '<h1>proxy</h1>' }),
  'data that is none': (route) => route.fulfill({ status: 200, contentType: 'text/x-component', body: '}{ garbage' }),
  'an answer without a body': (route) => route.fulfill({ status: 204 }),
}

const data = /_rsc=/

/** Makes each request for page data fail with `failure`. */
export const spoilData = (page: Page, failure: (route: Route) => Promise<void>): Promise<unknown> =>
  page.route(data, failure)

export const mendData = (page: Page): Promise<void> => page.unroute(data)

/** Holds back each request that matches `pattern` until `release`. Later requests pass. */
export async function holdRequests(page: Page, pattern: RegExp): Promise<{ held: Route[]; release(): Promise<void> }> {
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

/** Makes the page's server actions fail with `failure`. Returns a function that stops this. */
export async function spoilActions(page: Page, failure: (route: Route) => Promise<void>): Promise<() => Promise<void>> {
  const each = (route: Route) => (actions(route.request()) ? failure(route) : route.fallback())
  await page.route('**/*', each)
  return () => page.unroute('**/*', each)
}

/** Acts, and waits until the server action that it calls has ended: its answer begins then. */
export async function answeredAfter(page: Page, act: () => Promise<void>): Promise<void> {
  const answer = page.waitForResponse((response) => actions(response.request()))
  await act()
  await answer
}

/**
 * Resolves once the two requests that the frame sends when it is idle have answers. Failed, each would be one more
 * reason to ask whether Mishap is there.
 */
export async function frameAnswers(page: Page, org: string): Promise<void> {
  const ends = [`/organizations/${org}/health/`, `/organizations/${org}/issue-counts/`]
  await Promise.all(ends.map((end) => page.waitForResponse((answer) => answer.url().endsWith(end))))
}

/**
 * The times of the health checks that failed, in ms of the page's clock. The list grows. The page sets its next timer
 * once a check has failed: a clock that runs on when the check starts would miss the timer.
 */
export function failedTries(page: Page): number[] {
  const tries: number[] = []
  page.on('requestfailed', async (request) => {
    if (request.url().endsWith('/health/live')) tries.push(await page.evaluate<number>('Date.now()').catch(() => 0))
  })
  return tries
}

/**
 * Stops the page's clock and waits for the answers to open requests. Only `page.clock.runFor` advances the clock, by
 * seconds in an instant, so a request that is still open would count as slow. Pages of SDKs do not count their requests,
 * so nothing is waited for there.
 */
export async function stopClock(page: Page): Promise<void> {
  await page.clock.pauseAt((await page.evaluate<number>('Date.now()')) + 1000)
  await until('the answers', 10_000, () => page.evaluate<boolean>('(window.mishap?.navigation?.running ?? 0) === 0'))
}

/** URLs of the chunks that the page has loaded so far. */
export const chunksOf = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(
    `performance.getEntriesByType('resource').map((one) => one.name).filter((name) => /\\/chunks\\/.*\\.js/.test(name))`,
  )

/** Asks the server for what the page asked for. Undefined if the page closed before the answer was complete. */
async function answerOf(route: Route): Promise<{ answer: APIResponse; body: string } | undefined> {
  try {
    const answer = await route.fetch()
    return { answer, body: await answer.text() }
  } catch {
    await route.abort().catch(() => undefined)
    return undefined
  }
}

/** Changes the scripts of the build with `edit`, to simulate a broken build. */
export async function editScripts(page: Page, edit: (text: string) => string): Promise<void> {
  await page.route(/\/chunks\/.*\.js/, async (route) => {
    const sent = await answerOf(route)
    if (sent) await route.fulfill({ response: sent.answer, body: edit(sent.body) })
  })
}

/**
 * Records the text of every document, stream and script that the server sends after this call. It records before the
 * page receives them, because browsers discard the bodies of streams.
 */
export async function sentTo(page: Page): Promise<string[]> {
  const sent: string[] = []
  await page.route('**/*', async (route) => {
    if (!['document', 'fetch', 'script'].includes(route.request().resourceType())) return route.continue()
    const fetched = await answerOf(route)
    if (!fetched) return undefined
    sent.push(fetched.body)
    return await route.fulfill({ response: fetched.answer, body: fetched.body })
  })
  return sent
}

type Crumb = { message?: string; category?: string }
type Span = { start_timestamp: number; timestamp: number; description?: string }
/** The fields of an envelope item that the cases read. */
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

/** Records the items of each envelope that the page sends after this call. */
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
    .filter((envelopeItem) => envelopeItem.type === type)
    .map((envelopeItem) => envelopeItem.body)

/** Starts the page's reporter now, without waiting for a quiet page. */
export async function startReporter(page: Page): Promise<void> {
  await hydrated(page)
  await until('the way to the reporter', 5000, () =>
    page.evaluate<boolean>('(window.mishap.loadReporter?.(), window.mishap.report !== undefined)'),
  )
}

/** Passes an error to the reporter, like the error screens. */
export const reportError = (page: Page, message: string): Promise<unknown> =>
  page.evaluate(`window.mishap.report(new Error(${JSON.stringify(message)}), 'case')`)

/** Makes a request named `name`. The open trace records it as a span. */
export const act = (page: Page, name: string): Promise<unknown> =>
  page.evaluate(`fetch('/api/health/live?${name}').then((answer) => answer.text())`)

/** The names of requests by `act` that a trace has as spans. */
export const actsIn = (trace: Sent['body'] | undefined): string[] =>
  (trace?.spans ?? []).flatMap((span) => /\/live\?([\w-]+)/.exec(JSON.stringify(span))?.[1] ?? [])
