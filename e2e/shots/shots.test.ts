// Compares the core screens with stored pictures. `npm run screenshots -- --update` stores them anew.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PNG } from 'pngjs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { noChromium, openBrowser } from '../browser.ts'
import { root } from '../product.ts'
import { differenceOf, differentMax, small } from './compare.ts'
import { captures, comparedRoutes } from './routes.ts'
import { chromiumVersion, storedFolder, storedVersion, takeCompared } from './stored.ts'
import { openStill, settle, startWorld, unmeantMissing, type World } from './world.ts'

const folder = join(root, '.build/screenshots/differences')

/** Why the comparison can't run here, or undefined if it can. */
async function reasonToSkip(): Promise<string | undefined> {
  if (noChromium) return noChromium
  if (!storedVersion()) return 'no stored pictures'
  const browser = await openBrowser()
  const version = chromiumVersion(browser)
  await browser.close()
  return version === storedVersion() ? undefined : `the pictures are of Chromium ${storedVersion()}, this is ${version}`
}
const reason = await reasonToSkip()
if (reason) console.log(`screenshots are not compared: ${reason}`)

describe.skipIf(reason)('the core screens look as stored', () => {
  const state = {} as { world: World }
  beforeAll(async () => {
    mkdirSync(folder, { recursive: true })
    state.world = await startWorld()
  })
  afterAll(() => state.world?.end())

  test.each(comparedRoutes)('%s', async (route) => {
    const changed: string[] = []
    for (const [name, fresh] of await takeCompared(state.world, route)) {
      const { pixels, picture } = differenceOf(readFileSync(join(storedFolder, name)), fresh)
      if (pixels <= differentMax) continue
      writeFileSync(join(folder, name), picture)
      writeFileSync(join(folder, `new-${name}`), fresh)
      changed.push(`${name}: ${pixels} pixels differ, see ${join(folder, name)}`)
    }
    expect(changed).toEqual([])
  })

  test.each([
    ['o/[org]/alerts/incidents/[id]', undefined],
    ['o/[org]/alerts/[id]', undefined],
    ['o/[org]/projects/none', expect.stringContaining('o/[org]/projects/none shows no page')],
  ])('%s without a page fails its capture', async (route, fault) => {
    const look = state.world.look('full')
    const page = await openStill(state.world, look, route)
    await settle(state.world, page, captures[route]?.(look.places) ?? '/o/acme/projects/none/none')
    expect(await unmeantMissing(page, look, route)).toEqual(fault)
    expect(await unmeantMissing(page, look, 'o/[org]/[...rest]')).toBeUndefined()
    await page.context().close()
  })
})

/** A white picture with a black square of `side` pixels. */
function square(side: number): Buffer {
  const image = new PNG({ width: 40, height: 30 })
  image.data.fill(255)
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) image.data.fill(0, 4 * (y * 40 + x), 4 * (y * 40 + x) + 3)
  return PNG.sync.write(image)
}

describe('the comparison', () => {
  test('a stored picture equals the one that it was made from', () => {
    expect(differenceOf(small(square(9)), square(9)).pixels).toBe(0)
  })
  test('a changed square and another size differ', () => {
    expect(differenceOf(small(square(9)), square(3)).pixels).toBeGreaterThan(differentMax)
    const wide = PNG.sync.write(new PNG({ width: 41, height: 30 }))
    expect(differenceOf(small(square(9)), wide).pixels).toBe(41 * 30)
  })
})
