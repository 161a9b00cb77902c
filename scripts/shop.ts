// Builds and starts the example application (examples/shop) for `npm run demo` and the tests.
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseDsn } from '../src/wire/authheader.ts'
import { type Tunnel, tunnelOf } from '../src/wire/tunnel.ts'

const root = dirname(import.meta.dirname)
const next = join(root, 'node_modules/next/dist/bin/next')

/** The target of a build's source map upload. */
type Upload = { url: string; org: string; project: string; token: string; release: string }

/** The environment for Sentry's build plugins. It also stops them from reading a .env file. */
export const uploadEnv = ({ url, org, project, token, release }: Upload): Record<string, string> => ({
  SENTRY_URL: url,
  SENTRY_ORG: org,
  SENTRY_PROJECT: project,
  SENTRY_AUTH_TOKEN: token,
  SENTRY_RELEASE: release,
  SENTRY_LOAD_DOTENV: '0',
})

/** The tunnel of a DSN. Throws if the DSN is invalid. */
export function tunnelOfDsn(dsn: string): Tunnel {
  const parts = parseDsn(dsn)
  if (!parts) throw new Error(`no DSN: ${dsn}`)
  const { protocol, host, pathname } = new URL(dsn)
  const address = `${protocol}//${host}${pathname.slice(0, pathname.lastIndexOf('/'))}`
  return tunnelOf(address, { publicKey: parts.key, projectId: parts.projectId })
}

/** Runs a program with Node, waits, and returns its output. Throws with the end of the output if it fails. */
export async function runNode(words: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn(process.execPath, words, { cwd, env })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()))
  const code = await new Promise((resolve) => child.once('close', resolve))
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}: ${output.slice(-3000)}`)
  return output
}

export type Shop = { folder: string; env: Record<string, string>; tunnelPath: string }
type ShopOptions = {
  /** Target folder of the copy. It must be inside this checkout, because the application uses its packages. */
  folder: string
  dsn: string
  upload?: Upload
}

/** Copies the application and adds the tunnel handler of its DSN. Returns the environment to build and run it. */
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

/** Builds the application with Next.js. Throws with the end of the output if the build fails. */
export const buildShop = (
  { folder, env }: Shop,
  base: NodeJS.ProcessEnv,
  words: readonly string[] = [],
): Promise<string> => runNode([next, 'build', ...words], folder, { ...base, ...env })

/** Starts the built application. The caller must stop the process. */
export const startShop = ({ folder, env }: Shop, base: NodeJS.ProcessEnv, port: number) =>
  spawn(process.execPath, [next, 'start', '--port', `${port}`, '--hostname', '127.0.0.1'], {
    cwd: folder,
    env: { ...base, ...env },
    stdio: 'ignore',
  })
