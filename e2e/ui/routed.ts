import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { openPage } from '../browser.ts'

/**
 * Gives the tests of a `describe` a page whose requests they can intercept, with the login of the file's page. The other
 * tests keep a page with a cache.
 */
export function useRoutedPage(state: { browser: Browser; page: Page }, url: string): void {
  const before = {} as { page: Page }
  beforeAll(async () => {
    before.page = state.page
    const login = await state.page.context().storageState()
    state.page = (await openPage(state.browser, url, { login, routed: true })).page
  })
  afterAll(async () => {
    await state.page.context().close()
    state.page = before.page
  })
}
