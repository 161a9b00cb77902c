import type { Page } from 'playwright-core'

/** Cumulative layout shift of a page so far, and the elements that moved, with old and new positions. */
export type Shift = { shift: number; moved: string[] }

/**
 * A script for `addInitScript` that sums layout shifts without user input. It is text, because a compiled function
 * would use helpers that the page does not have.
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

/** The shifts that `observeShift` has recorded. */
export const shiftOf = async (page: Page): Promise<Shift> => (await page.evaluate('window.shifted')) as Shift
