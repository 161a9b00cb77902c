// npm run screenshots [-- --state full --route o/[org]/issues]: captures every route in both themes at three widths, for
// each state, into .build/screenshots. --axe: checks each page with axe too. --update: stores the pictures that npm test compares, and those of the README.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { faults } from '../e2e/axe.ts'
import { small } from '../e2e/shots/compare.ts'
import { captures, fileOf } from '../e2e/shots/routes.ts'
import { chromiumVersion, comparedPictures, storedFolder, takeCompared, versionFile } from '../e2e/shots/stored.ts'
import {
  openStill,
  picture,
  type State,
  settle,
  startWorld,
  states,
  unmeantMissing,
  type World,
} from '../e2e/shots/world.ts'

const root = join(import.meta.dirname, '..')
const words = process.argv.slice(2)
const wordAfter = (flag: string): string | undefined =>
  words.includes(flag) ? words[words.indexOf(flag) + 1] : undefined
const themes = ['light', 'dark'] as const
const widths = [1440, 768, 390]
/** What axe found, with the page. */
const findings: string[] = []
/** Pages that are not there, although nobody meant that. */
const missing: string[] = []

/** The process ids of the product's engine. */
const enginePids = (mainPid: number): number[] =>
  execFileSync('ps', ['-eo', 'pid,ppid,args'], { encoding: 'utf8' })
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    .filter((match) => Number(match?.[2]) === mainPid && match?.[3]?.includes('engine.ts'))
    .map((match) => Number(match?.[1]))

/** Keeps the events store down while `work` runs. The engine restarts after each kill. */
async function withoutEngine(world: World, work: () => Promise<void>): Promise<void> {
  const killing = { on: true }
  const killer = (async () => {
    while (killing.on) {
      for (const pid of enginePids(world.product.child.pid ?? 0)) process.kill(pid, 'SIGKILL')
      await pause(100)
    }
  })()
  try {
    await work()
  } finally {
    killing.on = false
    await killer
  }
}

async function captureRoute(world: World, state: State, route: string, folder: string): Promise<void> {
  const look = world.look(state)
  const page = await openStill(world, look, route)
  await settle(world, page, captures[route]?.(look.places) ?? '/')
  const fault = await unmeantMissing(page, look, route)
  if (fault) missing.push(`${state}: ${fault}`)
  for (const width of widths) {
    for (const theme of themes) {
      const file = join(folder, `${fileOf(route)}-${theme}-${width}.png`)
      writeFileSync(file, await picture(page, width, theme))
    }
    if (words.includes('--axe'))
      findings.push(...(await faults(page)).map((fault) => `${state} ${route} at ${width}: ${fault}`))
  }
  await page.context().close()
}

async function captureAll(world: World): Promise<void> {
  const routes = Object.keys(captures).filter((route) => [undefined, route].includes(wordAfter('--route')))
  for (const state of states.filter((one) => [undefined, one].includes(wordAfter('--state') as State | undefined))) {
    const folder = join(root, '.build/screenshots', state)
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    const work = async () => {
      for (const route of routes) await captureRoute(world, state, route, folder)
    }
    await (state === 'error' ? withoutEngine(world, work) : work())
    console.log(`${state}: ${routes.length * widths.length * themes.length} pictures in ${folder}`)
  }
}

/** Stores the compared pictures and the two of the README anew. */
async function update(world: World): Promise<void> {
  rmSync(storedFolder, { recursive: true, force: true })
  mkdirSync(storedFolder, { recursive: true })
  for (const route of new Set(comparedPictures.map((one) => one.route)))
    for (const [name, bytes] of await takeCompared(world, route)) writeFileSync(join(storedFolder, name), small(bytes))
  writeFileSync(versionFile, `${chromiumVersion(world.browser)}\n`)
  const look = world.look('full')
  const page = await openStill(world, look, 'o/[org]/issues')
  await settle(world, page, '/o/acme/issues')
  for (const theme of themes)
    writeFileSync(
      join(root, 'docs', theme === 'dark' ? 'screenshot-dark.png' : 'screenshot.png'),
      await picture(page, 1440, theme),
    )
  console.log(`${comparedPictures.length} pictures stored in ${storedFolder}`)
}

const world = await startWorld()
try {
  await (words.includes('--update') ? update(world) : captureAll(world))
} finally {
  await world.end()
}
if (words.includes('--axe')) console.log(`axe: ${findings.length} findings\n${findings.join('\n')}`)
if (missing.length > 0) console.log(`${missing.length} pages are not there:\n${missing.join('\n')}`)
if (findings.length + missing.length > 0) process.exitCode = 1
if (words.includes('--update'))
  spawnSync('git', ['status', '--short', storedFolder, 'docs'], { cwd: root, stdio: 'inherit' })
