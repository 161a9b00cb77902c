// npm test: types, formatter and linter, then every test. The last line has only the totals.
// npm run e2e [-- PATH…]: the whole-product tests only.
// npm run e2e:crash [-- --rounds 100 --seed 1]: power cuts, three times as many kills, full disks, hangs, clock jumps.
// npm run fuzz [-- --minutes 10 --seed N]: the fuzzer alone.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** `failures`: a line for each failure, repeated at the end, as a log is often read from its end. */
type Sum = { passed: number; failed: number; skipped: number; failures: string[] }
type VitestJson = {
  testResults: {
    name: string
    status: string
    message: string
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[]
  }[]
  numPassedTests: number
  numFailedTests: number
  numPendingTests: number
  numFailedTestSuites: number
}

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const [what = 'test', ...words] = process.argv.slice(2)

/** Runs one program that passes or fails as a whole. */
async function runProgram(name: string, file: string, args: string[]): Promise<Sum> {
  const all = [join(root, 'node_modules', file), ...args]
  const [status] = await once(spawn(process.execPath, all, { cwd: root, stdio: 'inherit' }), 'exit')
  const ok = status === 0
  console.log(`${ok ? 'passed' : 'FAILED'}: ${name}`)
  return { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0, failures: ok ? [] : [name] }
}

/** The failures of a report: file, test and the first line of what it said. */
function failuresOf({ testResults }: VitestJson): string[] {
  const line = (text = '') => text.split('\n', 1)[0]?.slice(0, 300)
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(root, name)
    const tests = assertionResults.filter((test) => test.status === 'failed')
    if (tests.length === 0) return status === 'failed' ? [`${file}: ${line(message)}`] : []
    return tests.map(({ fullName, failureMessages }) => `${file} > ${fullName}: ${line(failureMessages[0])}`)
  })
}

/**
 * Makes a folder in memory for the files of unit tests and the long ones, which need 0.4 GB. Each of thousands of commits
 * syncs its file, which takes 5 ms on a disk. Undefined without such a file system, with little room there, or if TMPDIR names a folder. It is removed at the end.
 */
function memoryFolder(): string | undefined {
  const shared = '/dev/shm'
  if (process.env.TMPDIR || !existsSync(shared) || freemem() < 8 * 2 ** 30) return undefined
  const { bavail, bsize } = statfsSync(shared)
  if (bavail * bsize < 4 * 2 ** 30) return undefined
  const folder = mkdtempSync(join(shared, 'mishap-'))
  // PostgreSQL refuses root, so its tests run it as another user, who must reach their folders.
  chmodSync(folder, 0o711)
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))
  return folder
}

/**
 * Runs a vitest project. The counts come from its JSON report. A run without a report counts as failed. `temporary`: the
 * folder of the tests' files.
 */
async function vitest(project: string, args: string[], temporary = tmpdir()): Promise<Sum> {
  const folder = mkdtempSync(join(tmpdir(), 'mishap-test-'))
  const report = join(folder, 'report.json')
  const base = ['run', '--project', project, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const all = [join(root, 'node_modules/vitest/vitest.mjs'), ...base, ...args]
  const env = { ...process.env, TMPDIR: temporary }
  const [status] = await once(spawn(process.execPath, all, { cwd: root, stdio: 'inherit', env }), 'exit')
  try {
    const json = JSON.parse(readFileSync(report, 'utf8')) as VitestJson
    // A file that does not load reports no failed test.
    const failed = json.numFailedTests || (status === 0 ? 0 : Math.max(1, json.numFailedTestSuites))
    const failures = status === 0 ? [] : failuresOf(json)
    return { passed: json.numPassedTests, failed, skipped: json.numPendingTests, failures }
  } catch {
    return { passed: 0, failed: 1, skipped: 0, failures: [`${project}: ended without a report`] }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const wordAfter = (flag: string): string | undefined =>
  words.includes(flag) ? words[words.indexOf(flag) + 1] : undefined

/** Passes run lengths and seeds to the tests through the environment. */
function setEnvironment(names: Record<string, string | undefined>): void {
  for (const [name, value] of Object.entries(names)) if (value !== undefined) process.env[name] = value
}

/**
 * Several runs of each long kind, so that all lanes end at the same time: an own run takes 380 s, an e2e run 500, and the
 * third lane is busy for 970 before it takes one. A few named files are one run.
 */
const runsOf = (paths: string[]): string[] =>
  paths.length > 0 ? ['own', 'e2e'] : ['own 1/4', 'e2e 1/3', 'e2e 2/3', 'own 2/4', 'e2e 3/3', 'own 3/4', 'own 4/4']

/**
 * Takes whole-product tests from one queue, two runs at a time: most start their own product and wait for it. A third
 * lane has `beside` and then the engines, because a run with two lanes used 65% of two cores. It takes from the queue
 * then: it stood still for the last 8 of 32 minutes. Tests that need an idle machine run last. `paths` can match only one
 * kind.
 */
async function wholeProduct(paths: string[], beside: () => Promise<Sum[]> = async () => []): Promise<Sum[]> {
  const some = (run: string) => {
    const [project = '', shard] = run.split(' ')
    return vitest(project, [...paths, '--passWithNoTests', ...(shard ? [`--shard=${shard}`] : [])])
  }
  const queue = runsOf(paths)
  const sums: Sum[] = []
  const worker = async () => {
    for (let run = queue.shift(); run; run = queue.shift()) sums.push(await some(run))
  }
  const third = async () => {
    sums.push(...(await beside()), await some('engines'))
    await worker()
  }
  await Promise.all([worker(), worker(), third()])
  return [...sums, await some('alone')]
}

const inMemory = what === 'test' ? memoryFolder() : undefined

/** Named paths can match another kind of test only. */
const mayBeNone = words.length > 0 ? ['--passWithNoTests'] : []

/** The units without the long ones. Types and linter fill the pauses of both. */
const units = (): Promise<Sum[]> =>
  Promise.all([
    vitest('src*', [...words, ...mayBeNone], inMemory),
    runProgram('types', 'typescript/bin/tsc', ['-p', '.']),
    runProgram('formatter and linter', '@biomejs/biome/bin/biome', ['check', '.']),
  ])

async function sumsOf(): Promise<Sum[]> {
  if (what === 'e2e') return wholeProduct(words)
  if (what === 'e2e:crash') {
    setEnvironment({ CRASH_ROUNDS: wordAfter('--rounds') ?? '10', CRASH_SEED: wordAfter('--seed') })
    return [await vitest('own', ['e2e/crash'])]
  }
  if (what === 'fuzz') {
    const seed = wordAfter('--seed') ?? String(Date.now() % 1e9)
    setEnvironment({ FUZZ_SECONDS: String(60 * Number(wordAfter('--minutes') ?? 10)), FUZZ_SEED: seed })
    return [await vitest('own', ['e2e/fuzz'])]
  }
  const first = await units()
  return [
    ...first,
    ...(await wholeProduct(words, async () => [await vitest('long', [...words, ...mayBeNone], inMemory)])),
  ]
}

const sum = (await sumsOf()).reduce((a, b) => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
  failures: [...a.failures, ...b.failures],
}))
for (const failure of sum.failures) console.log(`FAILED: ${failure}`)
console.log(`${sum.passed} passed, ${sum.failed} failed${sum.skipped ? `, ${sum.skipped} skipped` : ''}`)
process.exit(sum.failed === 0 ? 0 : 1)
