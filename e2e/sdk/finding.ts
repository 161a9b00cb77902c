import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** The ways from the sidebar to the trace of a fault, by clicks only: no address is typed and no key is pressed. */

const row = (page: Page, table: string, text: string) =>
  page.getByRole('table', { name: table }).getByRole('row').filter({ hasText: text })

async function openTab(page: Page, tab: string): Promise<void> {
  // On a screen of performance, the link of the sidebar is still there.
  await page.getByRole('link', { name: 'Performance', exact: true }).first().click()
  await page.getByRole('heading', { level: 1, name: 'Performance' }).waitFor()
  await page.getByRole('navigation', { name: 'Performance pages' }).getByRole('link', { name: tab }).click()
}

/** From a list that shows a route's rows: its row of this kind, its page, its slowest trace. Ends at the trace. */
export async function openSlowestTrace(page: Page, route: string, kind: string): Promise<void> {
  await row(page, 'Routes', route).filter({ hasText: kind }).getByRole('link', { name: route }).first().click()
  await page.getByRole('heading', { level: 2, name: route }).waitFor()
  await page.getByRole('region', { name: 'Slowest traces' }).getByRole('link').first().click()
  await page.waitForURL(/\/traces\/[0-9a-f]{32}/)
  await page.getByRole('treeitem').first().waitFor()
}

/** Finds a statement in the list of queries, the route that calls it, and the slowest trace of that route. */
export async function findQuery(
  page: Page,
  fault: { statement: string; route: string; count: number; kind: string },
): Promise<void> {
  await openTab(page, 'Queries')
  const found = row(page, 'Queries', fault.statement)
  expect((await found.getByRole('cell').nth(1).innerText()).trim()).toMatch(new RegExp(`^${fault.count}\\b`))
  await found.getByRole('button').click()
  await page.getByText('Called by one route').waitFor()
  await page.locator('.performance-callers').getByRole('link', { name: fault.route }).click()
  await openSlowestTrace(page, fault.route, fault.kind)
}

/** Finds a route with slow or failed loads on the page of route loads, and its slowest trace. */
export async function findRouteLoad(
  page: Page,
  fault: { route: string; column: 'Slow' | 'Failed'; count: number; kind: string },
): Promise<void> {
  await openTab(page, 'Route loads')
  const found = row(page, 'Route loads', fault.route)
  await found.waitFor()
  const heads = await page.getByRole('table', { name: 'Route loads' }).getByRole('columnheader').allInnerTexts()
  // The first column is the head of its row.
  const cell = found.getByRole('cell').nth(heads.indexOf(fault.column) - 1)
  expect((await cell.innerText()).trim()).toMatch(new RegExp(`^${fault.count}\\b`))
  await found.getByRole('link').click()
  await openSlowestTrace(page, fault.route, fault.kind)
}

/** Rows of the trace, each as one line. */
export const traceRows = async (page: Page): Promise<string[]> =>
  (await page.getByRole('treeitem').allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim())
