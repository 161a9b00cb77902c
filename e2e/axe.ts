import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { until } from './product.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

type Violation = { id: string; impact: string | null; help: string; nodes: { html: string; failureSummary?: string }[] }

type Theme = 'light' | 'dark'

/** Serious and critical findings of axe. It runs as evaluated source, because the page's policy blocks scripts. */
async function faultsIn(page: Page, theme: Theme, only: readonly string[]): Promise<string[]> {
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
  const options = JSON.stringify({ resultTypes: ['violations'], ...(only.length ? { runOnly: only } : {}) })
  const run = `axe.run(document, ${options}).then((result) => result.violations)`
  const found = (await page.evaluate(run)) as Violation[]
  return found
    .filter((violation) => violation.impact === 'serious' || violation.impact === 'critical')
    .flatMap((violation) =>
      violation.nodes
        .slice(0, 3)
        .map(
          (node) =>
            `${theme}: ${violation.id} (${violation.help}): ${node.html.slice(0, 160)} ${node.failureSummary ?? ''}`,
        ),
    )
}

/**
 * What axe finds on a page, one line each: all rules in the light theme, and colour rules in the dark theme, because only
 * colours differ.
 */
export async function faults(page: Page): Promise<string[]> {
  // The title comes with the last part of a streamed document.
  await until('the title', 10_000, async () => (await page.title()) !== '')
  await page.evaluate(axe)
  const light = await faultsIn(page, 'light', [])
  const dark = await faultsIn(page, 'dark', ['color-contrast', 'link-in-text-block'])
  await page.emulateMedia({ colorScheme: 'light' })
  return [...light, ...dark]
}
