// npm run demo: starts Mishap and an application with buttons that cause errors, connected to each other.
// MISHAP_PORT (9000) and DEMO_PORT (3000) are their ports. Data stays in .build/demo between runs.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { buildShop, copyShop, startShop } from './shop.ts'

const root = dirname(import.meta.dirname)
const home = join(root, '.build/demo')
const data = join(home, 'data')
const port = Number(process.env.MISHAP_PORT ?? 9000)
const shopPort = Number(process.env.DEMO_PORT ?? 3000)
const url = `http://localhost:${port}`
const email = 'demo@shop.example'
const main = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=16', join(root, 'src/processes/main.ts')]
const log = (sentence: string) => console.log(`demo: ${sentence}`)

const children: ChildProcess[] = []
const stopAll = () => {
  for (const child of children) child.kill('SIGTERM')
}

/** Registers a child process. When one child exits, all others are stopped. */
function keepAlive(child: ChildProcess, name: string): void {
  children.push(child)
  child.once('exit', (code) => {
    if (code && process.exitCode === undefined) log(`${name} ended with ${code}`)
    process.exitCode ??= code ?? 1
    stopAll()
  })
}

/** Polls the address until it answers with success. Returns false if a child exits first. */
async function answers(address: string): Promise<boolean> {
  for (;;) {
    if (process.exitCode !== undefined) return false
    const ok = await fetch(address).then(
      (answer) => answer.ok,
      () => false,
    )
    if (ok) return true
    await pause(200)
  }
}

/** The password of the demo account. The first run creates both. */
function password(): string {
  const file = join(home, 'password')
  if (!existsSync(file)) writeFileSync(file, `${randomBytes(9).toString('base64url')}`, { mode: 0o600 })
  return readFileSync(file, 'utf8')
}

async function run(): Promise<void> {
  mkdirSync(home, { recursive: true })
  // Listen on this machine only: the terminal shows the password, and anyone can press the buttons.
  const words = ['start', '--port', `${port}`, '--host', '127.0.0.1', '--url', url, '--data', data]
  const env = { ...process.env, MISHAP_LOG_LEVEL: process.env.MISHAP_LOG_LEVEL ?? 'warn' }
  keepAlive(spawn(process.execPath, [...main, ...words], { stdio: ['ignore', 'ignore', 'inherit'], env }), 'Mishap')
  log(`starting Mishap at ${url}`)
  if (!(await answers(`${url}/api/health/ready`))) return
  const person = ['--email', email, '--password-stdin', '--ci-token', '--json', '--data', data]
  const created = JSON.parse(
    execFileSync(
      process.execPath,
      [...main, 'bootstrap', '--org', 'demo', '--project', 'shop', '--platform', 'javascript-nextjs', ...person],
      { input: password(), encoding: 'utf8' },
    ),
  ) as { dsn: string; ciToken: string }
  log('building the shop (half a minute); its source maps go to Mishap')
  const release = `shop@${new Date().toISOString().slice(0, 19).replaceAll(/[-:T]/g, '.')}`
  const upload = { url, org: 'demo', project: 'shop', token: created.ciToken, release }
  const shop = copyShop({ folder: join(home, 'shop'), dsn: created.dsn, upload })
  await buildShop(shop, process.env)
  keepAlive(startShop(shop, process.env, shopPort), 'the shop')
  if (!(await answers(`http://localhost:${shopPort}/`))) return
  log(`the shop, where everything breaks: http://localhost:${shopPort}`)
  log(`what Mishap makes of it:           ${url}/o/demo/issues`)
  log(`sign in as ${email} with ${password()}`)
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    process.exitCode = 0
    stopAll()
  })
run().catch((error: unknown) => {
  log(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
  stopAll()
})
