import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { chromiumPath, chromiumWords, password, until } from './product.ts'

/** Why whole-browser tests are skipped here; undefined where they run. */
export const noChromium: string | undefined = chromiumPath() ? undefined : 'no Chromium on this machine'

/** `words` are more of its command line. */
export const openBrowser = (words: readonly string[] = []): Promise<Browser> =>
  chromium.launch({ executablePath: chromiumPath() ?? '', args: [...chromiumWords, ...words] })

export type Watched = {
  page: Page
  /** Errors of the page's own scripts, policy violations included. */
  errors: string[]
  /** Requests to any other origin. */
  foreign: string[]
  /** Dialogs that a script opened: none ever should. */
  dialogs: string[]
}

/** What a browser keeps of a login. */
export type Login = Awaited<ReturnType<BrowserContext['storageState']>>

/** A page that notes what must not happen. `login`: of somebody who has signed in before. */
export async function openPage(
  browser: Browser,
  url: string,
  options: {
    width?: number
    height?: number
    dark?: boolean
    selfSigned?: boolean
    login?: Login
    /** The test stands between page and server later: `page.route` when the page is open already. Then nothing is cached. */
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
  // Chromium gives a page that is open already the way through the test some time after it said so: what it asks for in
  // between passes by (1 of 30 presses of a key right after `route`). So such a page has it before its first document.
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

/** Signs in through the form, as a person does. */
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

/** Signs in once, for the pages that begin with it. */
export async function loginOf(browser: Browser, url: string, email: string): Promise<Login> {
  const { page } = await openPage(browser, url)
  await signIn(page, url, email)
  const login = await page.context().storageState()
  await page.context().close()
  return login
}

/** Waits until the screen's scripts answer to what a person does. */
export const hydrated = (page: Page): Promise<boolean> =>
  until('hydration', 10_000, () => page.evaluate<boolean>('window.mishap?.hydrated === true'))
