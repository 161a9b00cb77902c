import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { chromiumPath, chromiumWords, password, until } from './product.ts'

/** The reason to skip tests in a browser, or undefined if they run. */
export const noChromium: string | undefined = chromiumPath() ? undefined : 'no Chromium on this machine'

const launch = (words: readonly string[]): Promise<Browser> =>
  chromium.launch({ executablePath: chromiumPath() ?? '', args: [...chromiumWords, ...words] })

/** Chromium of this process, for all files that it runs. A start takes a core-second. */
const shared: { browser?: Promise<Browser> } = {}

/**
 * Opens Chromium. Its contexts are separate from those of other callers, and `close` closes only them. `words`:
 * additional command-line arguments, which start a Chromium of its own.
 */
export async function openBrowser(words: readonly string[] = []): Promise<Browser> {
  if (words.length > 0) return launch(words)
  const earlier = await shared.browser?.catch(() => undefined)
  if (!earlier?.isConnected()) shared.browser = launch([])
  const browser = await (shared.browser ?? launch([]))
  const contexts: BrowserContext[] = []
  return Object.assign(Object.create(browser) as Browser, {
    contexts: () => contexts,
    async newContext(options?: BrowserContextOptions) {
      const context = await browser.newContext(options)
      contexts.push(context)
      return context
    },
    async close() {
      await Promise.all(contexts.map((context) => context.close()))
    },
  })
}

export type Watched = {
  page: Page
  /** Uncaught errors of the page's scripts and violations of the content security policy. */
  errors: string[]
  /** Requests to any other origin. */
  foreign: string[]
  /** Dialogs that scripts opened. There should be none. */
  dialogs: string[]
}

/** Stored browser state of a login. */
export type Login = Awaited<ReturnType<BrowserContext['storageState']>>

/** Opens a page that records errors, foreign requests and dialogs. `login`: the state of an earlier sign-in. */
export async function openPage(
  browser: Browser,
  url: string,
  options: {
    width?: number
    height?: number
    dark?: boolean
    selfSigned?: boolean
    login?: Login
    /**
     * Set it if the test calls `page.route` after the page is open. It disables the cache, and a load takes 0.2
     * core-seconds more. So a test of a file that intercepts requests has its own page.
     */
    routed?: boolean
  } = {},
): Promise<Watched> {
  const context = await browser.newContext({
    viewport: { width: options.width ?? 1440, height: options.height ?? 900 },
    colorScheme: options.dark ? 'dark' : 'light',
    locale: 'en-GB',
    ignoreHTTPSErrors: options.selfSigned ?? false,
    ...(options.login ? { storageState: options.login } : {}),
  })
  const page = await context.newPage()
  // On an open page, `route` takes effect some time after it resolves. Requests in between bypass it (1 of 30 presses
  // of a key right after `route`). So intercept requests before the first document.
  if (options.routed) await page.route(/^never:/, (route) => route.continue())
  const watched: Watched = { page, errors: [], foreign: [], dialogs: [] }
  const origin = new URL(url).origin
  page.on('pageerror', (error) => watched.errors.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error' && /Content.Security.Policy|violates/.test(message.text()))
      watched.errors.push(message.text())
  })
  page.on('request', (request) => {
    if (/^https?:/.test(request.url()) && new URL(request.url()).origin !== origin) watched.foreign.push(request.url())
  })
  page.on('dialog', (dialog) => {
    watched.dialogs.push(dialog.message())
    void dialog.dismiss()
  })
  return watched
}

/** Signs in through the form. */
export async function signIn(page: Page, url: string, email: string): Promise<void> {
  await page.goto(`${url}/login`)
  await page.getByLabel(/mail/i).fill(email)
  await page
    .getByLabel(/password/i)
    .first()
    .fill(password)
  await page.getByRole('button', { name: /sign in/i }).click()
  await page.waitForURL(/\/o\//, { timeout: 20_000 })
}

/** Signs in once and returns the login for later pages. */
export async function loginOf(browser: Browser, url: string, email: string): Promise<Login> {
  const { page } = await openPage(browser, url)
  await signIn(page, url, email)
  const login = await page.context().storageState()
  await page.context().close()
  return login
}

/** Opens the popup of a scope control or of the sorting, and chooses a value. */
export async function choose(page: Page, popup: string, value: string): Promise<void> {
  const control = page.locator(`[data-popup=${popup}]:visible`)
  await control.locator('summary').click()
  await control.locator(`[data-value="${value}"]`).click()
}

/** Waits until the screen is hydrated and reacts to input. */
export const hydrated = (page: Page): Promise<boolean> =>
  until('hydration', 10_000, () => page.evaluate<boolean>('window.mishap?.hydrated === true'))
