import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { api, bootstrap, type Project } from '../product.ts'

// A pipeline with the real sentry-cli, 3.x and 2.x, in a git repository: releases, commits, deploys, events.

const product = inject('product')
const folder = mkdtempSync(join(tmpdir(), 'mishap-releases-'))
const require = createRequire(import.meta.url)

/** The binary in the npm package for this platform, or undefined. */
function binaryOf(name: string): string | undefined {
  const { platform, arch } = process
  try {
    const from = createRequire(require.resolve(`${name}/package.json`))
    const system = platform === 'darwin' ? 'darwin' : `${platform}-${arch}`
    return join(dirname(from.resolve(`@sentry/cli-${system}/package.json`)), 'bin/sentry-cli')
  } catch {
    return undefined
  }
}
const clients = [
  ['3', binaryOf('@sentry/cli')],
  ['2', binaryOf('@sentry/cli-2')],
] as const

/** Each client has its own organization, so that it does not see repositories of the other client. */
const made = new Map<string, Project>()
const projectOf = (major: string) => {
  const found = made.get(major)
  if (!found) throw new Error('no project')
  return found
}
/** Each repository needs its own project: a client looks for the project's last commit in its git history. */
beforeAll(() => {
  for (const [major] of clients)
    for (const slug of [`auto-${major}`, `named-${major}`])
      made.set(major, bootstrap(product, `shipping-${major}`, slug, 'javascript', undefined, ['--ci-token']))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const git = (repository: string, ...words: string[]) =>
  execFileSync('git', ['-c', 'user.name=Jo', '-c', 'user.email=jo@example.test', ...words], {
    cwd: repository,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
  }).trim()

/** Commits a file and returns the commit's hash. */
function commit(repository: string, file: string, message: string): string {
  mkdirSync(dirname(join(repository, file)), { recursive: true })
  writeFileSync(join(repository, file), `// ${message}\n`)
  git(repository, 'add', '.')
  git(repository, 'commit', '-qm', message)
  return git(repository, 'rev-parse', 'HEAD')
}

type CommandResult = { code: number | null; output: string }
/** Runs a client. The organization token in `more` is enough: it contains the URL and the organization. */
function run(
  file: string,
  repository: string,
  words: readonly string[],
  more: Record<string, string>,
): Promise<CommandResult> {
  const env: NodeJS.ProcessEnv = {
    NODE_ENV: 'production',
    PATH: process.env.PATH ?? '',
    HOME: folder,
    SENTRY_LOAD_DOTENV: '0',
    ...more,
  }
  const child = spawn(file, words, { cwd: repository, env })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()))
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })))
}

describe.each(clients)('sentry-cli %s.x', (major, binary = '') => {
  const O = `/organizations/shipping-${major}`
  const project = () => projectOf(major)
  const get = async (path: string) => (await api(product, project(), path)).json as never
  const releaseOf = (version: string) => get(`${O}/releases/${encodeURIComponent(version)}/`)
  const commitsOf = async (version: string) =>
    ((await get(`${O}/releases/${encodeURIComponent(version)}/commits/`)) as { id: string; message: string }[]).map(
      (item) => item.id,
    )
  const ok = async (repository: string, ...words: string[]) => {
    const { code, output } = await run(binary, repository, words, {
      SENTRY_PROJECT: basename(repository),
      SENTRY_AUTH_TOKEN: project().ciToken ?? '',
    })
    expect([words.join(' '), code, code === 0 ? '' : output]).toEqual([words.join(' '), 0, ''])
    return output
  }
  const begin = (name: string) => {
    const repository = join(folder, `${name}-${major}`)
    mkdirSync(repository, { recursive: true })
    git(repository, 'init', '-q')
    git(repository, 'remote', 'add', 'origin', `https://git.example.test/acme/${name}-${major}.git`)
    return repository
  }

  test.skipIf(!binary)('a pipeline: info, new, set-commits --auto, finalize, deploy, list, delete', async () => {
    const repository = begin('auto')
    const version = (number: number) => `auto${major}@1.${number}.0+7`
    const first = commit(repository, 'src/cart.ts', 'Add the cart')
    const second = commit(repository, 'src/order.ts', 'Add orders\n\nwith a body')
    const info = await ok(repository, 'info')
    expect(info).toMatch(/Sentry Server: http:\/\/localhost:\d+\n/)
    expect(info).toContain('- org:ci')
    await ok(repository, 'releases', 'new', version(1))
    await ok(repository, 'releases', 'set-commits', version(1), '--auto')
    await ok(repository, 'releases', 'finalize', version(1))
    expect(await ok(repository, 'releases', 'deploys', version(1), 'new', '-e', 'staging', '-n', 'blue')).toContain(
      'blue',
    )
    const third = commit(repository, 'src/cart.ts', 'Change the cart')
    await ok(repository, 'releases', 'new', version(2), '--finalize')
    await ok(repository, 'releases', 'set-commits', version(2), '--auto')
    await ok(repository, 'deploys', 'new', '-r', version(2), '-e', 'production', '-u', 'https://ci.example.test/2')

    expect(await commitsOf(version(1))).toEqual(expect.arrayContaining([first, second]))
    // The commits since the previous release. The client asked the server for its last commit.
    expect(await commitsOf(version(2))).toEqual([third])
    expect(await get(`${O}/releases/${encodeURIComponent(version(2))}/commitfiles/`)).toMatchObject([
      { filename: 'src/cart.ts', type: 'M', commitId: third },
    ])
    expect(await releaseOf(version(2))).toMatchObject({
      commitCount: 1,
      deployCount: 1,
      dateReleased: expect.stringMatching(/^20/),
      lastCommit: { id: third, message: 'Change the cart', author: { name: 'Jo', email: 'jo@example.test' } },
      lastDeploy: { environment: 'production', url: 'https://ci.example.test/2', projects: [`auto-${major}`] },
    })
    expect(await ok(repository, 'releases', 'deploys', version(1), 'list')).toContain('staging')
    expect(await ok(repository, 'deploys', 'list', '-r', version(2))).toContain('production')
    expect(await ok(repository, 'releases', 'list')).toContain(version(2))
    await ok(repository, 'releases', 'archive', version(1))
    expect(await releaseOf(version(1))).toMatchObject({ status: 'archived' })
    await ok(repository, 'releases', 'restore', version(1))
    expect(await releaseOf(version(1))).toMatchObject({ status: 'open' })
    expect(await ok(repository, 'releases', 'info', version(2), '--show-commits', '--show-projects')).toContain(
      third.slice(0, 8),
    )
    await ok(repository, 'releases', 'delete', version(1))
    expect((await api(product, project(), `${O}/releases/${encodeURIComponent(version(1))}/`)).status).toBe(404)
    expect(await commitsOf(version(2))).toEqual([third])
  })

  test.skipIf(!binary)('set-commits --commit and --local; with a listed repository only the head is told', async () => {
    const repository = begin('named')
    const [from, to] = [commit(repository, 'a.ts', 'a'), commit(repository, 'b.ts', 'b')]
    const name = `acme/named-${major}`
    const spec = ['--commit', `${name}@${from}..${to}`]
    // Without a repository on the server, the client sends its whole history and ignores the range.
    await ok(repository, 'releases', 'set-commits', `named${major}@1`, ...spec)
    expect((await commitsOf(`named${major}@1`)).toSorted()).toEqual([from, to].toSorted())
    const local = commit(repository, 'local.ts', 'local')
    await ok(repository, 'releases', 'set-commits', `local${major}@1`, '--local')
    expect(await commitsOf(`local${major}@1`)).toEqual([local])
    const listed = await api(product, project(), `${O}/repos/`, { method: 'POST', body: JSON.stringify({ name }) })
    expect(listed.status).toBe(201)
    expect(await ok(repository, 'repos', 'list')).toContain(name)
    await ok(repository, 'releases', 'set-commits', `named${major}@2`, ...spec)
    expect(await releaseOf(`named${major}@2`)).toMatchObject({
      refs: [{ repository: name, commit: to, previousCommit: from }],
      lastCommit: { id: to },
    })
    // With a repository on the server, `--auto` still works.
    const third = commit(repository, 'c.ts', 'c')
    await ok(repository, 'releases', 'set-commits', `named${major}@3`, '--auto')
    expect(await releaseOf(`named${major}@3`)).toMatchObject({ lastCommit: { id: third, message: 'c' } })
    await ok(repository, 'releases', 'set-commits', `named${major}@3`, '--clear')
    expect(await releaseOf(`named${major}@3`)).toMatchObject({ commitCount: 0, lastCommit: null })
  })

  test.skipIf(!binary)('send-event: its release is the one of the pipeline, and has a new issue', async () => {
    const version = `sent${major}@1`
    const repository = join(folder, `named-${major}`)
    mkdirSync(repository, { recursive: true })
    await ok(repository, 'releases', 'new', version)
    // The messages differ in words, because numbers do not make a new issue.
    const message = major === '3' ? 'hello from the third' : 'greetings of version two'
    const { code, output } = await run(binary, repository, ['send-event', '-m', message, '-r', version], {
      SENTRY_DSN: project().dsn,
    })
    expect([code, output]).toEqual([0, expect.stringContaining('dispatched')])
    await expect
      .poll(() => releaseOf(version), { timeout: 20_000 })
      .toMatchObject({ newGroups: 1, firstEvent: expect.stringMatching(/^20/) })
    const query = encodeURIComponent(`firstRelease:${version}`)
    expect(await get(`${O}/issues/?query=${query}`)).toMatchObject([{ firstRelease: { version } }])
  })
})
