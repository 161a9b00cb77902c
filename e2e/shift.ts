import type { Page } from 'playwright-core'

/** Cumulative layout shift of a page so far, and what was moved from where to where. */
export type Shift = { shift: number; moved: string[] }

/**
 * For `addInitScript`: sums what moves on the page by itself. As text: a function would be compiled with helpers that the
 * page does not have.
 */
export const observeShift = `(() => {
  const seen = (window.shifted = { shift: 0, moved: [] })
  const said = (node) => {
    const element = node?.nodeType === 1 ? node : node?.parentElement
    return element ? element.tagName.toLowerCase() + (element.id ? '#' + element.id : '') + (element.className?.replace ? '.' + element.className : '') : 'gone'
  }
  const place = (rect) => [rect.x, rect.y, rect.width, rect.height].map(Math.round).join(' ')
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (entry.hadRecentInput) continue
      seen.shift += entry.value
      for (const { node, previousRect, currentRect } of entry.sources)
        seen.moved.push(said(node).slice(0, 80) + ': ' + place(previousRect) + ' -> ' + place(currentRect) + ' (' + (node?.textContent ?? '').trim().slice(0, 40) + ')')
    }
  }).observe({ type: 'layout-shift', buffered: true })
})()`

/** What `observeShift` has seen. */
export const shiftOf = async (page: Page): Promise<Shift> => (await page.evaluate('window.shifted')) as Shift
