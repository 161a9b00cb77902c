import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, test } from 'vitest'
import type { Auth } from '../auth/auth.ts'
import { createAuth } from '../auth/create.ts'
import { readKeyFile } from '../auth/keyfile.ts'
import { lockDataFolder } from '../auth/lock.ts'
import { loadSecrets } from '../auth/secret.ts'
import type { Check } from '../backup/verify.ts'
import { systemClock } from '../base/clock.ts'
import { type Config, readConfig } from '../base/config.ts'
import { MishapError } from '../base/errors.ts'
import { silent } from '../base/observe.ts'
import { layOut, restoreMarker } from '../serve/folders.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import { openSqliteMeta } from '../store/meta/sqlite.ts'
import { runStopped } from './commands.ts'

const root = mkdtempSync(join(tmpdir(), 'mishap-app-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

function configOf(name: string): Config {
  const read = readConfig(
    { '--data': join(root, name), '--url': 'https://errors.example' },
    { MISHAP_LOG_LEVEL: 'error' },
  )
  if ('error' in read) throw new Error(read.error.sentence)
  return read.config
}
const request = {
  org: 'Acme',
  project: 'Web Shop',
  platform: 'javascript-react',
  email: 'ada@example.test',
  password: 'correct horse battery',
}

/** Reads the state of a data folder that is not in use. */
async function inside<T>(config: Config, look: (meta: MetaStore, auth: Auth) => T | Promise<T>): Promise<T> {
  const file = join(layOut(config.data).folders.meta, 'mishap.sqlite')
  const meta = await openSqliteMeta(file, { clock: systemClock })
  const secret = loadSecrets(config.data).authSecret
  const auth = await createAuth({ meta, secret, url: config.url, clock: systemClock, observe: silent })
  try {
    return await look(meta, auth)
  } finally {
    await meta.close()
  }
}
const failure = (work: Promise<unknown>) =>
  work.then(
    () => 'nothing thrown',
    (error: unknown) => (error instanceof MishapError ? error.code : String(error)),
  )

test('bootstrap on a folder that is not there yet makes all of it, and leaves it free', async () => {
  const config = configOf('fresh')
  expect(existsSync(config.data)).toBe(false)
  const made = await runStopped(config, 'bootstrap', request)
  expect(made).toEqual({
    organization: { id: 1, slug: 'acme' },
    project: { id: 1, slug: 'web-shop' },
    dsn: expect.stringMatching(/^https:\/\/[0-9a-f]{32}@errors\.example\/1$/),
    token: expect.stringMatching(/^sntryu_/),
  })
  // Ingest starts with these keys, before anything else is open.
  const [key] = Object.keys(readKeyFile(config.data).keys)
  expect((made as { dsn: string }).dsn).toContain(key)
  lockDataFolder(config.data).release()
})

test('a second bootstrap finds what is there and makes a new token only', async () => {
  const config = configOf('again')
  const [first, second] = [
    await runStopped(config, 'bootstrap', request),
    await runStopped(config, 'bootstrap', request),
  ] as { dsn: string; token: string }[]
  expect([second?.dsn, second?.token === first?.token]).toEqual([first?.dsn, false])
  const more = (await runStopped(config, 'bootstrap', { ...request, project: 'Api' })) as { dsn: string }
  expect(more.dsn).toMatch(/\/2$/)
  expect(Object.keys(readKeyFile(config.data).keys)).toHaveLength(2)
  await inside(config, async (meta) =>
    expect((await meta.projects.projectsOf(1)).map((project) => project.slug)).toEqual(['api', 'web-shop']),
  )
})

test.each<[string, Partial<typeof request>, string]>([
  ['another password of the same person', { password: 'another long password' }, 'AUTH_FAILED'],
  ['somebody else’s organization', { email: 'eve@example.test' }, 'AUTH_FORBIDDEN'],
  ['a password that is too short', { email: 'bob@example.test', org: 'Bob', password: 'short' }, 'VALIDATION'],
  ['no e-mail address', { email: 'nobody', org: 'Bob' }, 'VALIDATION'],
])('bootstrap refuses %s, leaves no account and the folder free', async (_name, change, code) => {
  const config = configOf(`refused-${code}-${change.email ?? ''}`)
  await runStopped(config, 'bootstrap', request)
  const accounts = () => {
    const file = join(layOut(config.data).folders.meta, 'mishap.sqlite')
    const database = new DatabaseSync(file, { readOnly: true })
    try {
      return database.prepare('SELECT email FROM auth_user').all()
    } finally {
      database.close()
    }
  }
  expect(await failure(runStopped(config, 'bootstrap', { ...request, ...change }))).toBe(code)
  lockDataFolder(config.data).release()
  expect(accounts()).toEqual([{ email: request.email }])
  const projects = await inside(config, async (meta) => [
    (await meta.projects.projectsOf(1)).length,
    (await meta.projects.projectsOf(2)).length,
  ])
  expect(projects).toEqual([1, 0])
})

test('a folder that somebody owns is refused, naming the process', async () => {
  const config = configOf('locked')
  layOut(config.data)
  const lock = lockDataFolder(config.data)
  await expect(runStopped(config, 'bootstrap', request)).rejects.toThrow(
    expect.objectContaining({ code: 'START_LOCKED', message: expect.stringContaining(`pid ${process.pid}`) }),
  )
  lock.release()
  expect(await runStopped(config, 'bootstrap', request)).toMatchObject({ organization: { slug: 'acme' } })
})

test('a new password ends every login session; the old one signs in no more', async () => {
  const config = configOf('reset')
  await runStopped(config, 'bootstrap', request)
  const headers = new Headers({ origin: config.url })
  const { email, password } = request
  const cookie = await inside(config, async (_meta, auth) => {
    const { cookies } = await auth.signIn({ email, password, headers })
    return cookies.map((item) => item.split(';')[0]).join('; ')
  })
  const actor = () => inside(config, (_meta, auth) => auth.actorOf(new Headers({ cookie })))
  expect(await actor()).toMatchObject({ kind: 'session', person: { email } })
  expect(await runStopped(config, 'reset-password', { email, password: 'a wholly new secret' })).toEqual({})
  expect(await actor()).toBeUndefined()
  await inside(config, async (_meta, auth) => {
    expect(await failure(auth.signIn({ email, password, headers }))).toBe('AUTH_FAILED')
    expect((await auth.signIn({ email, password: 'a wholly new secret', headers })).person.email).toBe(email)
  })
})

test.each([
  ['somebody unknown', { email: 'nobody@example.test', password: 'a wholly new secret' }],
  ['a weak password', { email: request.email, password: 'short' }],
])('reset-password refuses %s and changes nothing', async (name, value) => {
  const config = configOf(`weak-${name.length}`)
  await runStopped(config, 'bootstrap', request)
  expect(await failure(runStopped(config, 'reset-password', value))).toMatch(/^(NOT_FOUND|VALIDATION)$/)
  await inside(config, async (_meta, auth) => {
    const headers = new Headers({ origin: config.url })
    expect((await auth.signIn({ email: request.email, password: request.password, headers })).person).toBeDefined()
  })
})

test.each(['no-such', 'toString', '__proto__', ''])('the command %j is not known', async (name) => {
  const config = configOf('unknown')
  expect(await failure(runStopped(config, name, {}))).toBe('NOT_FOUND')
  expect(existsSync(config.data)).toBe(false)
})

test.each(['backup', 'verify', 'rehearse'])('%s of a folder that is not there makes none', async (name) => {
  const config = configOf('nothing')
  expect(await failure(runStopped(config, name, { file: join(root, 'x.tar') }))).toBe('NOT_FOUND')
  expect(existsSync(config.data)).toBe(false)
})

test('a rehearsal needs no place beside the data folder, which a service may not write to, and leaves nothing', async () => {
  // Root can write everywhere, so this name has maximum length: a longer name next to it is impossible.
  const config = configOf('d'.repeat(250))
  await runStopped(config, 'bootstrap', request)
  const before = readdirSync(config.data)
  // Left over from a killed rehearsal.
  mkdirSync(join(config.data, 'rehearsal-abcdef/meta'), { recursive: true })
  const { checks } = (await runStopped(config, 'rehearse', {})) as { checks: Check[] }
  expect(checks.length).toBeGreaterThan(8)
  expect(checks.filter((check) => check.wrong.length > 0)).toEqual([])
  expect(readdirSync(config.data)).toEqual(before)
}, 60_000)

test('after a restore that was cut off the folder takes another restore and nothing else', async () => {
  const config = configOf('cut')
  await runStopped(config, 'bootstrap', request)
  writeFileSync(restoreMarker(config.data), '')
  const ends: Record<string, string> = {}
  for (const name of ['bootstrap', 'reset-password', 'backup', 'verify', 'rehearse', 'restore'])
    ends[name] = await failure(runStopped(config, name, { ...request, file: join(root, 'none.tar') }))
  const refused = 'START_HALF_RESTORED'
  expect(ends).toEqual({
    bootstrap: refused,
    'reset-password': refused,
    backup: refused,
    verify: refused,
    rehearse: refused,
    restore: 'VALIDATION',
  })
  lockDataFolder(config.data).release()
})
