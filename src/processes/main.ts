import { resolve } from 'node:path'
import { placesOf, readStores } from '../backup/stores-record.ts'
import type { Check } from '../backup/verify.ts'
import { systemClock } from '../base/clock.ts'
import {
  type Config,
  environment,
  eventsSecrets,
  programVersion,
  readConfig,
  refusalOf,
  SettingError,
  settings,
} from '../base/config.ts'
import { MishapError } from '../base/errors.ts'
import { keepHeapSmall } from '../base/heap.ts'
import { keepMappingsSmall } from '../base/mapped-pages.ts'
import { configWith, type MoveSettings, moveFlags, moveSettingsOf } from '../base/move-settings.ts'
import type { ConfigPlan } from '../operations/config-apply.ts'
import { giveCommand } from '../serve/control.ts'
import { layOut } from '../serve/folders.ts'
import { setUpStatements } from '../store/events/grants.ts'

const version = programVersion()
const print = (line: string) => void process.stdout.write(`${line}\n`)
const printError = (line: string) => void process.stderr.write(`${line}\n`)

const help = `Mishap ${version}: errors and performance of your web applications, on your own machine.

  mishap start [--port 9000] [--host 0.0.0.0] [--data ./data] [--url https://mishap.example]
  mishap bootstrap --org O --project P [--platform X] --email E --password-stdin [--name N] [--ci-token] [--json] [--data ./data]
  mishap user reset-password --email E --password-stdin [--data ./data]
                                              also ends the person's sessions and deletes their API tokens
  mishap backup FILE [--data ./data]          one consistent file, also while the product runs
  mishap restore FILE --data ./data           into an empty data folder
  mishap verify [--json] [--data ./data]      looks at every invariant across the stores, changes nothing
  mishap doctor --release R --url U --org O --project P --token T [--dist D] [--json]
                                              asks a running Mishap whether the source maps of a release work: ends with
                                              0 good, 1 something is wrong, 2 it could not be asked. All but --dist and
                                              --json are required; instead of an option SENTRY_RELEASE, SENTRY_URL,
                                              SENTRY_ORG, SENTRY_PROJECT and SENTRY_AUTH_TOKEN are read
  mishap move [--meta sqlite] [--events embedded] [--blobs files] [--json] [--data ./data]
                                              moves the data to the stores in MISHAP_MOVE_META, MISHAP_MOVE_EVENTS and
                                              MISHAP_MOVE_BLOBS, also while the product runs. They take the values of
                                              MISHAP_META, MISHAP_EVENTS and MISHAP_BLOBS, or the words above, which
                                              mean the data folder. Run it again if it was interrupted
  mishap export FOLDER --org ORG              writes dashboards, saved views, alert rules, on-call schedules, filters,
                                              rules and settings of projects as YAML
  mishap plan FOLDER --org ORG [--prune] [--json]
                                              shows what apply would change; ends with 2 if there are changes
  mishap apply FOLDER --org ORG [--prune] [--json]
                                              makes the organization what the files say (docs/config-as-code.md)
  mishap events grants                        prints the statements that prepare a ClickHouse server for MISHAP_EVENTS
  mishap upgrade --rehearse [--data ./data]   opens a copy with this version and verifies it; the product is stopped
  mishap --version
  mishap --help

Examples
  npm start                                     start on port 9000 and print a setup link
  npm start -- --port 8080 --data /srv/mishap   another port and data folder
  echo "$PASSWORD" | npm run -s mishap -- bootstrap --org acme --project web --platform javascript \\
      --email ada@example.org --password-stdin --json
  echo "$PASSWORD" | npm run -s mishap -- user reset-password --email ada@example.org --password-stdin

Settings (the command line wins over the environment)
${settings.map((setting) => `  ${setting.env.padEnd(40)}${setting.sentence} Default: ${setting.default || 'empty'}.`).join('\n')}`

type Words = { flags: Record<string, string>; switches: Set<string>; names: string[] }

const switches = new Set([
  '--json',
  '--password-stdin',
  '--dev',
  '--help',
  '--version',
  '--rehearse',
  '--ci-token',
  '--prune',
])

/** Parses `--flag value`, `--flag=value`, switches and plain names. A flag without a value is a usage error. */
function readWords(words: string[]): Words {
  const found: Words = { flags: {}, switches: new Set(), names: [] }
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? ''
    if (!word.startsWith('-')) found.names.push(word)
    else if (switches.has(word) || word === '-h' || word === '-v') found.switches.add(word)
    else if (word.includes('=')) found.flags[word.slice(0, word.indexOf('='))] = word.slice(word.indexOf('=') + 1)
    else {
      const value = words[++i]
      if (value === undefined) leave(`mishap: ${word} needs a value. See mishap --help.`, 64)
      found.flags[word] = value
    }
  }
  return found
}

function leave(line: string, code: number): never {
  printError(line)
  process.exit(code)
}

/** 78 (EX_CONFIG) for a fault of the configuration, so that systemd does not start again. 1 for others. */
const exitCodeOf = ({ code, status }: MishapError): number => (code.startsWith('START_') ? status : 1)

function configOf(words: Words): Config {
  const knownFlags = new Set<string>([
    ...settings.flatMap((setting) => ('flag' in setting ? [setting.flag] : [])),
    '--org',
    '--project',
    '--platform',
    '--email',
    '--name',
    ...moveFlags,
  ])
  const unknownFlag = Object.keys(words.flags).find((flag) => !knownFlags.has(flag))
  if (unknownFlag) leave(`mishap: ${unknownFlag} is unknown. See mishap --help.`, 64)
  const read = readConfig(words.flags, environment())
  return 'error' in read ? leave(`mishap: ${read.error.code}: ${read.error.sentence}`, 78) : read.config
}

async function readPassword(words: Words): Promise<string> {
  if (!words.switches.has('--password-stdin'))
    leave('mishap: give the password on standard input, with --password-stdin.', 64)
  const parts: Buffer[] = []
  for await (const part of process.stdin) parts.push(part as Buffer)
  return Buffer.concat(parts)
    .toString('utf8')
    .replace(/\r?\n$/, '')
}

function need(words: Words, flag: string): string {
  return words.flags[flag] ?? leave(`mishap: ${flag} is needed. See mishap --help.`, 64)
}

/** Runs a command on the running server by its socket, else on the stopped data folder. Waits during a start. */
async function command(config: Config, name: string, value: Record<string, string>): Promise<object> {
  const { sockets } = layOut(config.data)
  for (let tries = 0; ; tries++) {
    const answer = await giveCommand(sockets.control, name, value)
    if (answer) return answer
    try {
      // Loaded only here: the ingest process does not need the stores' code.
      const { runStopped } = await import('./commands.ts')
      return await runStopped(config, name, value)
    } catch (error) {
      // The folder is locked but its socket does not answer yet: the server is starting.
      if (!(error instanceof MishapError) || error.code !== 'START_LOCKED' || tries >= 300) throw error
      await systemClock.sleep(200)
    }
  }
}

async function start(words: Words): Promise<void> {
  const config = configOf(words)
  const state: { stop?: (reason: string) => Promise<void> } = {}
  // The signals also stop a start that does not listen yet: in a container's first process they have no default action.
  // Everything that a start has written by then survives a kill.
  const stop = (reason: string) => (state.stop ? void state.stop(reason) : process.exit(0))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(signal))
  // scripts/bootstrap.mjs has the other end. When it exits (even by kill -9), this process stops too.
  if (process.channel) process.on('disconnect', () => stop('the starting process ended'))
  // Loaded only here: other commands start in half the time without the code of the server.
  const { startServer } = await import('./server.ts')
  const server = await startServer({ config, version, dev: words.switches.has('--dev'), print })
  state.stop = server.stop
  keepHeapSmall(systemClock)
  keepMappingsSmall(systemClock)
  const refused = await server.ended
  if (refused) leave(`mishap: ${refused.code}: ${refused.message}`, exitCodeOf(refused))
  process.exit(0)
}

async function bootstrap(words: Words): Promise<void> {
  const config = configOf(words)
  const value = {
    org: need(words, '--org'),
    project: need(words, '--project'),
    platform: words.flags['--platform'] ?? 'javascript',
    email: need(words, '--email'),
    name: words.flags['--name'] ?? '',
    ciToken: words.switches.has('--ci-token') ? 'yes' : '',
  }
  const result = await command(config, 'bootstrap', { ...value, password: await readPassword(words) })
  if (words.switches.has('--json')) return print(JSON.stringify(result))
  for (const [name, detail] of Object.entries(result))
    print(`${name}: ${typeof detail === 'object' ? JSON.stringify(detail) : String(detail)}`)
}

async function resetPassword(words: Words): Promise<void> {
  const config = configOf(words)
  const email = need(words, '--email')
  await command(config, 'reset-password', { email, password: await readPassword(words) })
  print(`The password of ${email} is changed. All its login sessions have ended.`)
}

function fileOf(words: Words): string {
  const [, file, more] = words.names
  if (!file || more !== undefined) leave(`mishap: mishap ${words.names[0]} takes one file. See mishap --help.`, 64)
  // The running server has another working directory.
  return resolve(file)
}

type BackupResult = { version: string; issues: number; events: number; blobs: number }
const counted = ({ issues, events, blobs }: BackupResult) => `${issues} issues, ${events} events, ${blobs} files`

async function backup(words: Words): Promise<void> {
  const file = fileOf(words)
  const result = (await command(configOf(words), 'backup', { file })) as BackupResult
  if (words.switches.has('--json')) return print(JSON.stringify(result))
  print(`${file}: ${counted(result)}.`)
}

async function restore(words: Words): Promise<void> {
  const config = configOf(words)
  const { runStopped } = await import('./commands.ts')
  const result = (await runStopped(config, 'restore', { file: fileOf(words) })) as BackupResult
  if (words.switches.has('--json')) return print(JSON.stringify(result))
  print(
    `${config.data}: ${counted(result)}, from Mishap ${result.version}. The next start processes the waiting records of the journal.`,
  )
}

/** Verifies the data folder, or a copy that this version has migrated (`rehearse`). */
async function verify(words: Words, rehearse = false): Promise<void> {
  const config = configOf(words)
  const { runStopped } = await import('./commands.ts')
  const pending = rehearse ? runStopped(config, 'rehearse', {}) : command(config, 'verify', {})
  const { checks } = (await pending) as { checks: Check[] }
  const isIntact = checks.every((check) => check.wrong.length === 0)
  if (words.switches.has('--json')) print(JSON.stringify({ ok: isIntact, checks }))
  else
    for (const check of checks) {
      print(`${check.wrong.length ? 'WRONG' : 'ok   '} ${check.sentence} (${check.looked} checked)`)
      for (const line of check.wrong) print(`        ${line}`)
    }
  if (!isIntact) process.exit(1)
}

type Exported = { files: Record<string, string>; notes: string[] }

/** Writes the configuration of an organization into a folder. */
async function exportFolder(words: Words): Promise<void> {
  const folder = fileOf(words)
  const value = { org: need(words, '--org') }
  const { files, notes } = (await command(configOf(words), 'config-export', value)) as Exported
  const { writeConfigFolder } = await import('./config-command.ts')
  print(`${folder}: ${writeConfigFolder(folder, files)} files.`)
  for (const note of notes) console.error(`mishap: ${note}`)
}

/** Compares a folder with an organization, or makes the organization what the folder says. */
async function planFolder(words: Words, isApplied: boolean): Promise<void> {
  const { planLines, readConfigFolder } = await import('./config-command.ts')
  const value = {
    org: need(words, '--org'),
    files: JSON.stringify(readConfigFolder(fileOf(words))),
    prune: words.switches.has('--prune') ? 'yes' : '',
  }
  const plan = (await command(configOf(words), isApplied ? 'config-apply' : 'config-plan', value)) as ConfigPlan
  if (words.switches.has('--json')) print(JSON.stringify(plan))
  else planLines(plan, isApplied).forEach(print)
  // The code of `terraform plan -detailed-exitcode`: a job of a build can tell changes from faults. An exit at once would
  // cut a plan of over 64 KiB that goes into a pipe.
  if (!isApplied && plan.changes.length > 0) process.exitCode = 2
}

type MoveAnswer = { pausedMs: number; blobs: number; events?: number }

/** Moves by the running product, else a stopped data folder. Waits during a start. No answer: the product has ended. */
async function copyAll(config: Config, settings: MoveSettings): Promise<{ isRunning: boolean; answer?: object }> {
  const { control } = layOut(config.data).sockets
  const { runStopped } = await import('./commands.ts')
  for (let tries = 0; ; tries++) {
    if (await giveCommand(control, 'ping', {})) {
      const answer = await giveCommand(control, 'move', settings)
      return { isRunning: true, ...(answer ? { answer } : {}) }
    }
    try {
      return { isRunning: false, answer: await runStopped(config, 'move', settings) }
    } catch (error) {
      if (!(error instanceof MishapError) || error.code !== 'START_LOCKED' || tries >= 300) throw error
      await systemClock.sleep(200)
    }
  }
}

/** Waits until the product runs on its new stores, and checks them. Throws STORE_UNAVAILABLE if it does not. */
async function verifyMoved(config: Config): Promise<Check[]> {
  const { sockets } = layOut(config.data)
  for (let tries = 0; ; tries++) {
    const places = readStores(config.data)?.places
    const isSwitched = places !== undefined && JSON.stringify(places) === JSON.stringify(placesOf(config))
    const answer = isSwitched ? await giveCommand(sockets.control, 'verify', {}).catch(() => undefined) : undefined
    const checks = answer && (answer as { checks: Check[] }).checks
    // A new process first recovers the batch that was open at the switch. Until then its rows are counted nowhere.
    if (checks && (tries >= 600 || checks.every((check) => check.wrong.length === 0))) return checks
    if (tries >= 600)
      throw new MishapError('STORE_UNAVAILABLE', { detail: 'The product does not answer after the move. See its log.' })
    await systemClock.sleep(200)
  }
}

/** Moves the data of a running or stopped product to other stores. */
async function move(words: Words): Promise<void> {
  const config = configOf(words)
  const settings = moveSettingsOf(words.flags, environment())
  const { isRunning, answer } = await copyAll(config, settings)
  if (!answer)
    leave(
      'mishap: the product ended during the move. Its old stores are in use. Start it, and run mishap move again.',
      1,
    )
  const checks = isRunning ? await verifyMoved(configWith(config, settings)) : []
  const result = answer as MoveAnswer
  const { kept = [] } = readStores(config.data) ?? {}
  if (words.switches.has('--json')) print(JSON.stringify({ ...result, kept, checks }))
  else {
    const copied = [...(result.events === undefined ? [] : [`${result.events} events`]), `${result.blobs} files`]
    print(`Moved ${copied.join(', ')}. Processing paused for ${(result.pausedMs / 1000).toFixed(1)} s.`)
    print('Before the next start, set these variables to their new values:')
    for (const name of Object.keys(settings)) print(`  ${name}${settings[name] === '' ? ' (remove it)' : ''}`)
    for (const { store, place } of kept) print(`Kept: ${store} in ${place}. Delete it once you no longer need it.`)
  }
  const wrong = checks.filter((check) => check.wrong.length > 0)
  for (const check of wrong) printError(`WRONG ${check.sentence} ${check.wrong.join('; ')}`)
  if (wrong.length > 0) process.exit(1)
}

/** Prints what an administrator runs on a ClickHouse server. Names come from MISHAP_EVENTS, if it is set. */
function printGrants(words: Words): void {
  const { user, database } = configOf(words).events ?? { user: 'mishap', database: 'mishap' }
  for (const sql of setUpStatements({ user, database }, eventsSecrets().backup !== '')) print(`${sql};`)
}

const doctorFlags = ['release', 'dist', 'org', 'project', 'url', 'token'] as const

/** For the build machine: calls a running server's REST API and needs no data folder. */
async function doctor({ flags, switches: given }: Words): Promise<void> {
  const unknownFlag = Object.keys(flags).find((flag) => !doctorFlags.some((name) => flag === `--${name}`))
  if (unknownFlag) leave(`mishap: ${unknownFlag} is unknown. See mishap --help.`, 2)
  const words = Object.fromEntries(
    doctorFlags.flatMap((name) => {
      const value = flags[`--${name}`]
      return value === undefined ? [] : [[name, value]]
    }),
  )
  const { runDoctor } = await import('../serve/doctor.ts')
  const { code, lines, answer } = await runDoctor(words, environment())
  if (given.has('--json')) print(JSON.stringify(answer))
  else if (code === 2) lines.forEach(printError)
  else lines.forEach(print)
  process.exitCode = code
}

async function run(): Promise<void> {
  const words = readWords(process.argv.slice(2))
  const name = words.names.join(' ')
  if (words.switches.has('--version') || words.switches.has('-v')) return print(version)
  if (words.switches.has('--help') || words.switches.has('-h')) return print(help)
  if (name === 'start' || name === '') return start(words)
  if (name === 'bootstrap') return bootstrap(words)
  if (words.names[0] === 'backup') return backup(words)
  if (words.names[0] === 'restore') return restore(words)
  if (words.names[0] === 'export') return exportFolder(words)
  if (words.names[0] === 'plan') return planFolder(words, false)
  if (words.names[0] === 'apply') return planFolder(words, true)
  if (name === 'verify') return verify(words)
  if (name === 'move') return move(words)
  if (name === 'events grants') return printGrants(words)
  if (name === 'doctor') return doctor(words)
  if (name === 'upgrade' && words.switches.has('--rehearse')) return verify(words, true)
  if (name === 'upgrade')
    leave('mishap: to upgrade, start the new version. mishap upgrade --rehearse tries it on a copy.', 64)
  if (name === 'user reset-password') return resetPassword(words)
  leave(`mishap: no command "${name}". See mishap --help.`, 64)
}

run().catch((error: unknown) => {
  if (error instanceof SettingError) {
    const { code, sentence } = refusalOf(error, readWords(process.argv.slice(2)).flags, environment())
    leave(`mishap: ${code}: ${sentence}`, 78)
  }
  if (error instanceof MishapError)
    leave(
      [
        `mishap: ${error.code}: ${error.message}`,
        ...Object.entries(error.fields ?? {}).map(([field, all]) => `  ${field}: ${all.join(' ')}`),
        ...error.causes.map((cause) => `  ${cause}`),
      ].join('\n'),
      exitCodeOf(error),
    )
  leave(`mishap: ${String(error)}`, 1)
})
