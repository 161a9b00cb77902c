// The example application (examples/shop) as `npm run demo` and the tests build and start it.
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseDsn } from '../src/wire/authheader.ts'
import { type Tunnel, tunnelOf } from '../src/wire/tunnel.ts'

const root = dirname(import.meta.dirname)
const next = join(root, 'node_modules/next/dist/bin/next')

/** Where a build uploads its source maps. */
type Upload = { url: string; org: string; project: string; token: string; release: string }

/** What Sentry's plugins read from the environment, and from no file beside it. */
export const uploadEnv = ({ url, org, project, token, release }: Upload): Record<string, string> => ({
  SENTRY_URL: url,
  SENTRY_ORG: org,
  SENTRY_PROJECT: project,
  SENTRY_AUTH_TOKEN: token,
  SENTRY_RELEASE: release,
  SENTRY_LOAD_DOTENV: '0',
})

/** The tunnel of a DSN. Throws when it is none. */
export function tunnelOfDsn(dsn: string): Tunnel {
  const parts = parseDsn(dsn)
  if (!parts) throw new Error(`no DSN: ${dsn}`)
  const { protocol, host, pathname } = new URL(dsn)
  const address = `${protocol}//${host}${pathname.slice(0, pathname.lastIndexOf('/'))}`
  return tunnelOf(address, { publicKey: parts.key, projectId: parts.projectId })
}

/** Runs a program of Node's to its end. Throws with what it said when it fails. */
export async function runNode(words: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn(process.execPath, words, { cwd, env })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (said += text.toString()))
  const code = await new Promise((resolve) => child.once('close', resolve))
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}: ${said.slice(-3000)}`)
  return said
}

export type Shop = { folder: string; env: Record<string, string>; tunnelPath: string }
type ShopOptions = {
  /** Where the application is copied to; within this tree, whose packages it uses. */
  folder: string
  dsn: string
  upload?: Upload
}

/** Copies the application, with the tunnel's handler for its DSN in it, and gives the environment to build and run it. */
export function copyShop({ folder, dsn, upload }: ShopOptions): Shop {
  const tunnel = tunnelOfDsn(dsn)
  rmSync(folder, { recursive: true, force: true })
  cpSync(join(root, 'examples/shop'), folder, { recursive: true })
  const handler = join(folder, tunnel.servers.nextjs.where)
  mkdirSync(dirname(handler), { recursive: true })
  writeFileSync(handler, tunnel.servers.nextjs.code)
  const env = {
    NEXT_PUBLIC_SENTRY_DSN: dsn,
    NEXT_PUBLIC_TUNNEL: tunnel.path,
    NEXT_TELEMETRY_DISABLED: '1',
    ...(upload ? uploadEnv(upload) : { SENTRY_LOAD_DOTENV: '0' }),
  }
  return { folder, env, tunnelPath: tunnel.path }
}

/** Runs Next.js in the application's folder to its end. Throws with what it said when it fails. */
export const buildShop = (
  { folder, env }: Shop,
  base: NodeJS.ProcessEnv,
  words: readonly string[] = [],
): Promise<string> => runNode([next, 'build', ...words], folder, { ...base, ...env })

/** Starts the built application; the process is the caller's to end. */
export const startShop = ({ folder, env }: Shop, base: NodeJS.ProcessEnv, port: number) =>
  spawn(process.execPath, [next, 'start', '--port', `${port}`, '--hostname', '127.0.0.1'], {
    cwd: folder,
    env: { ...base, ...env },
    stdio: 'ignore',
  })
