import type { Browser } from 'playwright-core'
import { type Login, loginOf, openBrowser, openPage } from '../browser.ts'
import type { Project } from '../product.ts'
import { openSlowestTrace, traceRows } from '../sdk/finding.ts'

export type Screens = {
  /** Opens the routes of a project, clicks to the slowest trace of one, and returns the rows of that trace. */
  traceOf(project: Project, route: string, kind: string): Promise<string[]>
  close(): Promise<void>
}

/** Opens a browser that is signed in to the organization of the clients. */
export async function openScreens(url: string, org: string): Promise<Screens> {
  const browser: Browser = await openBrowser()
  let login: Promise<Login> | undefined
  return {
    async traceOf(project, route, kind) {
      login ??= loginOf(browser, url, `owner@${org}.test`)
      const { page } = await openPage(browser, url, { login: await login })
      await page.goto(`${url}/o/${org}/performance?project=${project.slug}`)
      await openSlowestTrace(page, route, kind)
      const rows = await traceRows(page)
      await page.context().close()
      return rows
    },
    close: () => browser.close(),
  }
}
