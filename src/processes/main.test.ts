import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { testClock } from '../base/clock.ts'
import { settings } from '../base/config.ts'
import { layOut } from '../serve/folders.ts'
import { openSqlite } from '../store/meta/database/connection.ts'
import { openSqliteMeta } from '../store/meta/sqlite.ts'

const root = mkdtempSync(join(tmpdir(), 'mishap-main-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
const main = join(import.meta.dirname, 'main.ts')

/** About thirty processes would each strip and compile the same modules: half of their time. */
const cached = { NODE_COMPILE_CACHE: join(import.meta.dirname, '../../.build/compile') }

type Ended = { code: number | null; out: string; complaint: string }

/** Runs the command in its own process. `input` is its standard input. */
function run(words: string[], { env = {}, input = '' }: { env?: Record<string, string>; input?: string } = {}) {
  return new Promise<Ended>((resolve) => {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...words], {
      env: { NODE_ENV: 'test', MISHAP_LOG_LEVEL: 'error', MISHAP_DATA: join(root, 'unused'), ...cached, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    const ended: Ended = { code: null, out: '', complaint: '' }
    child.stdout.on('data', (text: Buffer) => (ended.out += text.toString()))
    child.stderr.on('data', (text: Buffer) => (ended.complaint += text.toString()))
    child.stdin.on('error', () => undefined) // it can exit before it has read
    child.stdin.end(input)
    child.on('close', (code) => resolve({ ...ended, code }))
  })
}

const bootstrapWords = (data: string) => [
  'bootstrap',
  '--org',
  'Acme',
  '--project',
  'Web',
  '--email',
  'ada@example.test',
  '--password-stdin',
  '--data',
  data,
]

describe('what is said and done at once', () => {
  test.concurrent('an address with a path that no screens are built for is refused', async () => {
    const data = join(root, 'no-screens')
    const { code, complaint } = await run(['start', '--url', 'https://x.example/never-built', '--data', data])
    expect([code, complaint]).toMatchObject([1, expect.stringMatching(/START_NO_SCREENS: .*path \/never-built/)])
  })

  test.concurrent('--version', async () => {
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'))
    expect(await run(['--version'])).toEqual({ code: 0, out: `${version}\n`, complaint: '' })
  })

  test.concurrent('--help names every command and every setting with its default', async () => {
    const { code, out } = await run(['--help'])
    expect(code).toBe(0)
    for (const setting of settings) {
      const line = out.split('\n').find((item) => item.trimStart().startsWith(`${setting.env} `))
      expect(line, setting.env).toContain(setting.sentence)
      expect(line, setting.env).toContain(`Default: ${setting.default || 'empty'}.`)
    }
    for (const name of ['start', 'bootstrap', 'user reset-password', 'doctor']) expect(out).toContain(`mishap ${name}`)
    // Only options in brackets are optional.
    expect(out).toContain('mishap doctor --release R --url U --org O --project P --token T [--dist D] [--json]')
    expect(out).toMatch(/All but --dist and\s+--json are required/)
  })
})

describe('refused before anything is touched', () => {
  const nobody = join(root, 'nobody')
  test.concurrent.each<[string[], Record<string, string>, number, string[]]>([
    [['paint'], {}, 64, ['no command "paint"', '--help']],
    [['user'], {}, 64, ['no command "user"']],
    [['start', '--colour', 'red'], {}, 64, ['--colour is unknown']],
    [['start', '--port', '70000'], {}, 78, ['CONFIG_PORT', '--port is "70000"', '1 to 65535']],
    [['start', '--port=http'], {}, 78, ['--port is "http"']],
    [['start'], { MISHAP_REFINE_WORKERS: '99' }, 78, ['CONFIG_REFINE_WORKERS', 'is "99"', '1 to 16']],
    [['start'], { MISHAP_LOG_LEVEL: 'loud' }, 78, ['MISHAP_LOG_LEVEL is "loud"', 'debug, info, warn, error']],
    [['start', '--url', 'ftp://x'], {}, 78, ['CONFIG_URL', '--url is "ftp://x"']],
    [['start', '--port'], {}, 64, ['--port needs a value', '--help']],
    [['start', '--data', '/proc/x'], {}, 78, ['CONFIG_DATA', '--data is "/proc/x"', 'a folder that', 'ENOENT']],
    [['start'], { MISHAP_DATA: main }, 78, ['CONFIG_DATA', `MISHAP_DATA is "${main}"`, 'ENOTDIR']],
    [[...bootstrapWords('/proc/x')], {}, 78, ['CONFIG_DATA', '--data is "/proc/x"']],
    [['bootstrap', '--org', 'a', '--project', 'b', '--password-stdin'], {}, 64, ['--email is needed']],
    [['bootstrap', '--project', 'b', '--email', 'a@b.test', '--password-stdin'], {}, 64, ['--org is needed']],
    [['bootstrap', '--org', 'a', '--project', 'b', '--email', 'a@b.test'], {}, 64, ['--password-stdin']],
    [['user', 'reset-password', '--password-stdin'], {}, 64, ['--email is needed']],
    [['doctor', '--release', 'r'], {}, 2, ['--url or SENTRY_URL is needed']],
    [['doctor', '--release', 'r', '--colour', 'red'], {}, 2, ['--colour is unknown']],
    [
      ['doctor', '--release', 'r', '--org', 'o', '--project', 'p', '--token', 't'],
      { SENTRY_URL: 'http://127.0.0.1:9' },
      2,
      ['http://127.0.0.1:9 did not answer'],
    ],
  ])('%j %j', async (words, env, code, parts) => {
    const ended = await run(words, { env: { MISHAP_DATA: nobody, ...env }, input: 'correct horse battery\n' })
    expect([ended.code, ended.out]).toEqual([code, ''])
    for (const part of parts) expect(ended.complaint).toContain(part)
    expect(ended.complaint).not.toContain('    at ') // no stack: it is a user error
    expect(readdirSync(root)).not.toContain('nobody')
  })
})

test.concurrent('a password that breaks the rules is refused with its field', async () => {
  const ended = await run(bootstrapWords(join(root, 'short')), { input: 'short\n' })
  expect([ended.code, ended.complaint]).toMatchObject([1, expect.stringMatching(/VALIDATION[\s\S]*password: /)])
})

const freePort = () =>
  new Promise<string>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(String(typeof address === 'object' ? address?.port : '')))
    })
  })

test.concurrent('data of a newer version is refused by every command and left as it is', async () => {
  const data = join(root, 'newer')
  const file = join(layOut(data).folders.meta, 'mishap.sqlite')
  const meta = await openSqliteMeta(file, { clock: testClock() })
  await meta.close()
  const connection = openSqlite(file)
  await connection.script('insert into version (number, applied_ms) values (99, 0)')
  await connection.close()
  const given = await run(bootstrapWords(data), { input: 'correct horse battery\n' })
  const started = await run(['start', '--data', data, '--host', '127.0.0.1', '--port', await freePort()])
  for (const ended of [given, started]) {
    expect([ended.code, ended.complaint]).toMatchObject([1, expect.stringContaining('START_NEWER_DATA')])
    expect(ended.complaint).toContain('schema 99')
  }
  await expect(openSqliteMeta(file, { clock: testClock() })).rejects.toThrow('schema 99')
}, 90_000)

// One folder for all cases that need one, because each of these processes hashes a password.
test.concurrent('a port that is taken is said; then bootstrap on the stopped folder, as JSON and as lines', async () => {
  const data = join(root, 'made')
  const port = Promise.withResolvers<string>()
  const server = createServer().listen(0, '127.0.0.1', () => {
    const address = server.address()
    port.resolve(String(typeof address === 'object' ? address?.port : ''))
  })
  const started = await run(['start', '--data', data, '--host', '127.0.0.1', '--port', await port.promise])
  await new Promise((resolve) => server.close(resolve))
  expect([started.code, started.complaint]).toMatchObject([1, expect.stringContaining('START_PORT_TAKEN')])
  const named = await run(['start', '--data', data, '--host', 'nope.invalid', '--port', '9'])
  expect([named.code, named.complaint]).toMatchObject([78, expect.stringContaining('--host is "nope.invalid"')])
  expect(named.complaint).toMatch(/CONFIG_HOST: .*of this machine \(E[A-Z_]+\)\.\n$/)
  // The password is read without its line break.
  const first = await run([...bootstrapWords(data), '--json'], { input: 'correct horse battery\r\n' })
  expect([first.code, first.complaint]).toEqual([0, ''])
  expect(JSON.parse(first.out)).toMatchObject({ organization: { slug: 'acme' }, project: { slug: 'web' } })
  const second = await run(bootstrapWords(data), { input: 'correct horse battery' })
  expect(second.out).toMatch(/^dsn: http:\/\/[0-9a-f]{32}@localhost:9000\/1$/m)
  const reset = await run(
    ['user', 'reset-password', '--email', 'ada@example.test', '--password-stdin', '--data', data],
    { input: 'a wholly new secret\n' },
  )
  expect([reset.code, reset.out]).toMatchObject([0, expect.stringContaining('login sessions have ended')])
  const third = await run(bootstrapWords(data), { input: 'correct horse battery' })
  expect([third.code, third.complaint]).toMatchObject([1, expect.stringContaining('AUTH_FAILED')])
  expect(third.out + third.complaint).not.toContain('correct horse')
}, 90_000)
