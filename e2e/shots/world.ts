import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page, Request } from 'playwright-core'
import { detectorIds } from '../../src/domain/detectors/detectors.ts'
import { routeIdOf } from '../../src/query/performance/ids.ts'
import { type Login, loginOf, openBrowser, openPage } from '../browser.ts'
import {
  api,
  bootstrap,
  discard,
  type Issue,
  type Product,
  type Project,
  password,
  ready,
  root,
  start,
  until,
} from '../product.ts'
import { addAlerts, addIncidentRule, incidentOf } from './alerts.ts'
import {
  digest,
  fixedMs,
  hostileEvents,
  hostileTexts,
  hostileTraceId,
  idOf,
  release,
  releaseBefore,
  sendHostile,
  sendShop,
  shopEvents,
  traceId,
} from './data.ts'
import { sendHostileLogs, sendShopLogs } from './logs.ts'
import { sendHostileMetrics, sendShopMetrics } from './metrics.ts'
import { isMeantMissing, type Places, type Sight } from './routes.ts'
import { sendHostileSpans, sendShopSpans } from './spans.ts'

/** Who looks at which data. `error`: the full data while the events store is down. */
export const states = ['empty', 'full', 'hostile', 'error', 'viewer'] as const
export type State = (typeof states)[number]

export type World = {
  product: Product
  browser: Browser
  /** Sets the clock of the product to the fixed time again. */
  rewind(): void
  look(state: State): Look
  end(): Promise<void>
}
type Look = Sight & { places: Places; login: Login }

/** Places of things that an organization without data does not have. */
const dataPlaces: readonly (keyof Places)[] = [
  'issue',
  'short',
  'event',
  'digest',
  'trace',
  'route',
  'release',
  'releaseBefore',
  'alert',
  'channel',
  'incident',
]

/** Adds the viewer of the organization through an invitation, as a person would. */
async function viewerOf(browser: Browser, product: Product, project: Project): Promise<Login> {
  const body = JSON.stringify({ email: 'vera@acme.test', role: 'viewer' })
  const headers = { 'content-type': 'application/json' }
  const made = await api(product, project, `/organizations/acme/invitations/`, { method: 'POST', body, headers })
  const { link } = made.json as { link: string }
  const { page } = await openPage(browser, product.url)
  await page.goto(product.url + new URL(link).pathname)
  await page.getByLabel('Name').fill('Vera')
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Create account and join' }).click()
  await page.waitForURL(/\/o\/acme/)
  const login = await page.context().storageState()
  await page.context().close()
  return login
}

const routeId = (project: Project, route: string) => routeIdOf({ projectId: Number(project.id), op: 'pageload', route })

/** Waits until the segments of a project are stored. */
const segmentsOf = (product: Product, project: Project, count: number) =>
  until(`the spans of ${project.org}`, 60_000, async () => {
    const path = `/organizations/${project.org}/performance/?project=${project.slug}&statsPeriod=30d`
    return ((await api(product, project, path)).json as { samples: number }).samples >= count
  })

/** Creates a channel that is off, with a test message in its log. Off, it does not change the frame of other pictures. */
async function channelOf(product: Product, project: Project): Promise<string> {
  const path = `/organizations/${project.org}/notification-channels/`
  const headers = { 'content-type': 'application/json' }
  const send = (method: string, at: string, body: object) =>
    api(product, project, at, { method, body: JSON.stringify(body), headers })
  const name = project.org === 'hostile' ? (hostileTexts[0] ?? '').slice(0, 60) : 'Ops chat'
  const made = await send('POST', path, { kind: 'mattermost', name, target: 'https://127.0.0.1:1/hooks/x' })
  const { id } = (made.json as { channel: { id: string } }).channel
  await send('PUT', `${path}${id}/`, { isActive: false })
  await send('POST', `${path}${id}/test/`, {})
  return id
}

/**
 * Switches the detectors of a project off. They wait for a trace to end, so pictures had their issues on a slow machine only:
 * 13, 14 or 15 issues in the list, and other numbers on six screens.
 */
async function switchOffDetectors(product: Product, project: Project): Promise<void> {
  const detectors = Object.fromEntries(detectorIds.map((id) => [id, { active: false }]))
  const answer = await api(product, project, `/projects/${project.org}/${project.slug}/`, {
    method: 'PUT',
    body: JSON.stringify({ detectors }),
    headers: { 'content-type': 'application/json' },
  })
  if (answer.status !== 200) throw new Error(`the detectors stay on: ${answer.status}`)
}

async function placesOf(product: Product, project: Project, event: string, events: number): Promise<Places> {
  const found = await until(`the events of ${project.org}`, 60_000, async () => {
    const answer = await api(product, project, `/organizations/${project.org}/issues/?query=`)
    const rows = answer.json as (Issue & { shortId: string })[]
    return rows.reduce((sum, row) => sum + Number(row.lifetime.count), 0) === events && rows
  })
  const first = found.toSorted((a, b) => Number(a.id) - Number(b.id))[0]
  return {
    org: project.org,
    project: project.slug,
    issue: first?.id ?? '1',
    short: first?.shortId ?? 'NONE-1',
    event,
    digest: project.org === 'acme' ? digest : '2774530906',
    ...(project.org === 'hostile'
      ? { trace: hostileTraceId, route: routeId(project, `/${hostileTexts[0]}`) }
      : { trace: traceId, route: routeId(project, '/checkout/[orderId]') }),
    release,
    releaseBefore,
    invitation: 'nonsense',
    alert: events > 0 ? await addAlerts(product, project) : '0',
    channel: events ? await channelOf(product, project) : '0',
    incident: events ? await incidentOf(product, project) : '0',
  }
}

/** Starts a product at the fixed time with three organizations: no data, the shop, hostile data. */
export async function startWorld(): Promise<World> {
  const shiftFile = join(root, '.build', `screenshots-${process.pid}.shift`)
  const rewind = () => writeFileSync(shiftFile, String(fixedMs - Date.now()))
  rewind()
  const product = await start({
    env: {
      MISHAP_SELF_REPORTING: 'off',
      NODE_OPTIONS: `--import=${pathToFileURL(join(root, 'e2e/crash/shift.ts'))}`,
      SHIFT_FILE: shiftFile,
    },
  })
  try {
    return await filled(product, rewind)
  } catch (error) {
    await discard(product)
    throw error
  }
}

async function filled(product: Product, rewind: () => void): Promise<World> {
  await ready(product, 60_000)
  const email = 'ada@acme.test'
  const [acme, hostile, empty] = ['acme', 'hostile', 'quiet'].map((org) =>
    bootstrap(product, org, org === 'acme' ? 'shop-web' : 'web', 'javascript-nextjs', email),
  ) as [Project, Project, Project]
  for (const project of [acme, hostile]) await switchOffDetectors(product, project)
  await segmentsOf(product, acme, await sendShopSpans(product, acme))
  await segmentsOf(product, hostile, await sendHostileSpans(product, hostile))
  await sendShopLogs(product, acme)
  await sendHostileLogs(product, hostile)
  await sendShopMetrics(product, acme)
  await sendHostileMetrics(product, hostile)
  for (const project of [acme, hostile]) await addIncidentRule(product, project)
  const places = {
    full: await placesOf(product, acme, await sendShop(product, acme), shopEvents),
    hostile: await placesOf(product, hostile, await sendHostile(product, hostile), hostileEvents),
    empty: await placesOf(product, empty, idOf('none'), 0),
  }
  const browser = await openBrowser(['--font-render-hinting=none', '--force-color-profile=srgb'])
  const owner = await loginOf(browser, product.url, email)
  const viewer = await viewerOf(browser, product, acme)
  const looks: Record<State, Look> = {
    empty: { places: places.empty, login: owner, absent: dataPlaces, isViewer: false },
    full: { places: places.full, login: owner, absent: [], isViewer: false },
    hostile: { places: places.hostile, login: owner, absent: [], isViewer: false },
    error: { places: places.full, login: owner, absent: [], isViewer: false },
    viewer: { places: places.full, login: viewer, absent: [], isViewer: true },
  }
  return {
    product,
    browser,
    rewind,
    look: (state) => looks[state],
    end: async () => {
      await browser.close()
      await discard(product)
    },
  }
}

/** Parts whose text differs between runs: keys, secrets, versions, memory, rates. They are hidden but keep their place. */
const changing = `
  *, *::before, *::after { animation: none !important; transition: none !important; caret-color: transparent !important; }
  [data-testid=dsn], [data-changing], .shell-status, .shell-pulse { visibility: hidden !important; }
`

/** Routes that show a page to people without an account. */
const signedOut = /^(login|setup|forgot-password|reset-password|confirm-address|unsubscribe|acknowledge|invite)/

/** Opens a page at the fixed time, without animations. */
export async function openStill(world: World, look: Look, route: string): Promise<Page> {
  const options = signedOut.test(route) ? {} : { login: look.login }
  const { page } = await openPage(world.browser, world.product.url, options)
  await page.clock.setFixedTime(fixedMs)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  return page
}

/** Returns what is wrong with a page that says that there is none; undefined if it shows one, or if that is meant. */
export async function unmeantMissing(page: Page, look: Sight, route: string): Promise<string | undefined> {
  if (isMeantMissing(route, look)) return undefined
  const isMissing = (await page.getByRole('heading', { level: 1, name: 'Not found', exact: true }).count()) > 0
  return isMissing ? `${route} shows no page: there is nothing at ${page.url()}` : undefined
}

/** One picture of the page as it is. */
export async function picture(page: Page, width: number, theme: 'light' | 'dark'): Promise<Buffer> {
  await page.setViewportSize({ width, height: width < 500 ? 844 : 900 })
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
  // The policy of the product blocks the style element that `screenshot({ style })` inserts.
  await page.evaluate((css) => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(css)
    document.adoptedStyleSheets = [sheet]
  }, changing)
  // Each run has another port. Commands show it.
  await page.evaluate(`{
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) {
      const text = texts.currentNode
      if (/localhost:\\d/.test(text.data)) text.data = text.data.replace(/localhost:\\d+/g, 'localhost:00000')
    }
  }`)
  // A font that no text has asked for yet would come after the picture.
  await page.evaluate('Promise.allSettled([...document.fonts].map((font) => font.load())).then(() => true)')
  // A loaded font is drawn in a later frame, which a busy machine had not made after 150 ms: code had another font.
  await page.evaluate(`document.fonts.ready.then(() => new Promise((done) => {
    requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))
  }))`)
  await page.waitForTimeout(150)
  return page.screenshot({ animations: 'disabled', caret: 'hide' })
}

/**
 * Goes to the address and waits until its requests and its scripts are done. Some screens, such as error screens, never
 * are: they are taken after a few seconds. With `patient` a screen that is not done within a minute fails.
 */
export async function settle(world: World, page: Page, path: string, patient = false): Promise<void> {
  const within = (ms: number) => (patient ? 60_000 : ms)
  const orGiveUp = (done: Promise<unknown>) => (patient ? done : done.catch(() => undefined))
  world.rewind()
  // Parts of a page that are asked for later: a machine that is busy answers them after two equal texts.
  const waiting = new Set<Request>()
  page.on('request', (request) => {
    if (request.resourceType() === 'fetch' && !request.url().includes('/stream')) waiting.add(request)
  })
  page.on('requestfinished', (request) => waiting.delete(request))
  page.on('requestfailed', (request) => waiting.delete(request))
  await page.goto(world.product.url + path)
  // `waitForFunction` evaluates a text in the page, which its policy refuses.
  const isHydrated = () => page.evaluate<boolean>('window.mishap?.hydrated === true')
  await orGiveUp(until('a hydrated screen', within(5000), isHydrated))
  // The live stream keeps one request open, so the network is never idle. Pictures wait for equal texts too.
  // A part can hydrate, and ask for its data, long after the others: a stored picture waits for four equal texts.
  const looks = patient ? 4 : 2
  const seen: unknown[] = []
  const stands = until('a screen that stands still', within(8000), async () => {
    seen.push(await page.evaluate('document.body.innerHTML.length'))
    await page.waitForTimeout(350)
    if (waiting.size > 0) seen.length = 0
    return seen.length >= looks && new Set(seen.slice(-looks)).size === 1
  })
  await orGiveUp(stands)
}
