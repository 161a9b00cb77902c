import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const css = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8')

/** The declarations in the block of `selector`. */
function block(selector: string): Map<string, string> {
  const from = css.indexOf('{', css.indexOf(selector))
  const text = css.slice(from + 1, css.indexOf('}', from)).replace(/\/\*.*?\*\//gs, '')
  return new Map(
    text
      .split(';')
      .flatMap((line) =>
        line.includes(':')
          ? [[line.slice(0, line.indexOf(':')).trim(), line.slice(line.indexOf(':') + 1).trim()] as const]
          : [],
      ),
  )
}

const light = block(':root {')
const dark = new Map([...light, ...block('[data-theme="dark"]')])

/** Relative luminance of #rrggbb (WCAG 2). */
function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
const contrast = (a: string, b: string): number => {
  const [high = 0, low = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x)
  return (high + 0.05) / (low + 0.05)
}

const grounds = ['canvas', 'surface', 'sunken', 'hover', 'selected']
const texts = ['ink', 'ink-2', 'ink-3', 'accent', 'fatal', 'error', 'warning', 'info', 'debug', 'ok']

describe('tokens', () => {
  it('are the same for a dark system as for the chosen dark theme', () =>
    expect([...block(':root:not([data-theme])')]).toEqual([...block('[data-theme="dark"]')]))

  for (const [name, theme] of [
    ['light', light],
    ['dark', dark],
  ] as const) {
    const colour = (token: string): string => theme.get(`--${token}`) ?? ''
    it.each(texts)(`${name}: %s reads on every ground (4.5:1)`, (text) => {
      for (const ground of grounds) expect(contrast(colour(text), colour(ground)), ground).toBeGreaterThanOrEqual(4.5)
    })
    it(`${name}: text on the accent reads, control borders and charts stand out (3:1)`, () => {
      expect(contrast(colour('accent-ink'), colour('accent'))).toBeGreaterThanOrEqual(4.5)
      for (const ground of ['canvas', 'surface', 'sunken'])
        expect(contrast(colour('line-3'), colour(ground)), ground).toBeGreaterThanOrEqual(3)
      for (const chart of [1, 2, 3, 4, 5, 6, 7, 8])
        for (const ground of ['canvas', 'sunken'])
          expect(contrast(colour(`c${chart}`), colour(ground)), `c${chart} on ${ground}`).toBeGreaterThanOrEqual(3)
    })
  }
})
