import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { root } from '../product.ts'
import { captures, comparedRoutes, fileOf } from './routes.ts'
import { openStill, picture, settle, unmeantMissing, type World } from './world.ts'

export const storedFolder: string = join(root, 'e2e/shots/stored')
export const versionFile: string = join(storedFolder, 'chromium.txt')

/** The version of Chromium that took the stored pictures, or '' if none are stored. */
export const storedVersion = (): string => (existsSync(versionFile) ? readFileSync(versionFile, 'utf8').trim() : '')
/** Another version draws text a little differently. */
export const chromiumVersion = (browser: Browser): string => `${browser.version()} ${process.platform} ${process.arch}`

type Compared = { route: string; width: number; theme: 'light' | 'dark'; name: string }

const looks: [number, 'light' | 'dark'][] = [
  [1440, 'light'],
  [1440, 'dark'],
  [390, 'light'],
]

/** The stored pictures, all with the full data. */
export const comparedPictures: readonly Compared[] = comparedRoutes.flatMap((route) =>
  looks.map(([width, theme]) => ({ route, width, theme, name: `${fileOf(route)}-${theme}-${width}.png` })),
)

/** Requests for parts that come with the document, unless the machine is busy. Then they are at the end of their column. */
const lateParts = /\/in-common\/\?/
const triesMax = 10

/**
 * Whether the page has its own fonts. A font that comes late is used on the next page only (src/web/fonts.ts), and a busy
 * machine is late. Compares the width of a text with the one that it has without the font.
 */
const hasFonts = (page: Page): Promise<boolean> =>
  page.evaluate<boolean>(`['--font-text', '--font-code'].every((name) => {
    const pen = document.createElement('canvas').getContext('2d')
    const widthIn = (families) => {
      pen.font = '100px ' + families
      return pen.measureText('illegible 0123').width
    }
    const [family] = getComputedStyle(document.body).getPropertyValue(name).split(',')
    return family !== '' && widthIn(family + ', serif') !== widthIn('serif')
  })`)

/** Opens a page whose parts all came with the document: another order of parts is another picture. */
async function settleWhole(world: World, page: Page, path: string): Promise<void> {
  let isLate = true
  // A look marks an issue as viewed, and the next one shows that.
  await page.route(/\/api\//, (route) => (route.request().method() === 'GET' ? route.continue() : route.abort()))
  page.on('request', (request) => {
    isLate ||= lateParts.test(request.url())
  })
  for (let tries = 0; isLate && tries < triesMax; tries++) {
    isLate = false
    // Some parts come after hydration. A picture that was taken before lacked them on a busy machine.
    await settle(world, page, path, true)
    if (!(await hasFonts(page))) isLate = true
  }
  if (isLate) throw new Error(`${path} came ${triesMax} times with a late part or a late font`)
}

/** The fresh pictures of a route, by file name. */
export async function takeCompared(world: World, route: string): Promise<[string, Buffer][]> {
  const look = world.look('full')
  const page = await openStill(world, look, route)
  await settleWhole(world, page, captures[route]?.(look.places) ?? '/')
  const missing = await unmeantMissing(page, look, route)
  if (missing) throw new Error(missing)
  // A broken screen must never become the stored picture.
  if (await page.getByText(/Application error/).count())
    throw new Error(
      `${route} shows an error: ${world.product
        .log()
        .split('\n')
        .filter((line) => /"level":[56]0/.test(line))
        .slice(-2)
        .join('\n')}`,
    )
  const taken: [string, Buffer][] = []
  for (const { width, theme, name } of comparedPictures.filter((compared) => compared.route === route))
    taken.push([name, await picture(page, width, theme)])
  await page.context().close()
  return taken
}
