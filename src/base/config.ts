import { readFileSync } from 'node:fs'
import { hostname, totalmem } from 'node:os'
import { resolve } from 'node:path'
import { type BlobsConfig, blobCredentials, blobsOf } from './blobs-config.ts'
import { budgetOf, type DiskBudget } from './disk-budget.ts'
import { type EventsServer, eventsPasswordOf, eventsServerOf, isEventsServer } from './events-server.ts'
import { isNetwork } from './network.ts'
import { parsePostgresUrl, withoutPassword } from './postgres-url.ts'

/** One setting: its sources, meaning and allowed values. docs/configuration.md is generated from this table. */
export type Setting = {
  name: string
  /** The environment variable. The command line overrides it. */
  env: string
  flag?: string
  default: string
  unit?: string
  allowed: string
  sentence: string
  check: (text: string) => boolean
  /** The value contains a secret: messages do not show it. */
  secret?: true
}

const integer = (min: number, max: number) => (text: string) =>
  /^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max
const oneOf =
  (...words: string[]) =>
  (text: string) =>
    words.includes(text)
const MiB = 1024 * 1024
/** Allows path words that every proxy, address and cookie treats the same. /api is reserved for ingest and the API. */
const urlPattern = /^https?:\/\/[^/?#@\\\s]+(?!\/api(?:\/|$))(?:\/[\w~-][\w.~-]{0,63}){0,5}\/?$/
/** A destination of ClickHouse's BACKUP. Its literals cannot contain quotes or backslashes, so it is safe in SQL. */
const backupTarget = /^(?:Disk|S3)\('[^'\\]{1,500}'(?:, ?'[^'\\]{0,500}'){0,2}\)$/
const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
const networks = (text: string) => listOf(text).every(isNetwork) && !/,\s*,/.test(text)

const engineBytesMin = 128 * MiB
/**
 * With 600 MiB in a container of 1 GiB, the kernel killed the engine after 40 minutes at 300 events/s: it used 622 MB
 * in a merge, the other processes 410 MB.
 */
const engineBytesFor = (memoryBytes: number): number =>
  Math.round(Math.min(600 * MiB, Math.max(engineBytesMin, memoryBytes * 0.3)))

/** Returns the memory of this machine, or the limit of the container. In bytes. */
const machineMemory = (): number => Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)

/** All settings. */
export const settings = [
  {
    name: 'port',
    env: 'MISHAP_PORT',
    flag: '--port',
    default: '9000',
    allowed: '1 to 65535; ports below 1024 need the privilege',
    sentence: 'Port for screens, API and ingest.',
    check: integer(1, 65535),
  },
  {
    name: 'host',
    env: 'MISHAP_HOST',
    flag: '--host',
    default: '0.0.0.0',
    allowed: 'an address or host name of this machine',
    sentence: 'Address to listen on. 127.0.0.1 accepts connections from this machine only.',
    check: (t) => /^[\w.:-]{1,253}$/.test(t),
  },
  {
    name: 'data',
    env: 'MISHAP_DATA',
    flag: '--data',
    default: './data',
    allowed: 'a folder that this user can create, read and write',
    sentence: 'Folder for all data of Mishap. Only one process can use it at a time.',
    check: (t) => t.length > 0,
  },
  {
    name: 'meta',
    env: 'MISHAP_META',
    default: '',
    allowed:
      'postgres://user:password@host1:5432,host2/database with sslmode, sslrootcert, pool (2 to 200) and target_session_attrs, or empty for the data folder',
    sentence:
      'PostgreSQL database for everything except events and files: projects, issues, people. See docs/external.md.',
    secret: true,
    check: (t) => t === '' || parsePostgresUrl(t) !== undefined,
  },
  {
    name: 'url',
    env: 'MISHAP_URL',
    flag: '--url',
    default: '',
    allowed: 'an http or https URL, with a path of plain words or none (not /api), or empty for http://localhost:PORT',
    sentence: 'URL under which people and SDKs reach Mishap. DSNs and links are built from it.',
    check: (t) => t === '' || (URL.canParse(t) && urlPattern.test(t)),
  },
  {
    name: 'trustedProxies',
    env: 'MISHAP_TRUSTED_PROXIES',
    default: '',
    allowed: 'addresses or CIDR ranges, separated by commas',
    sentence: 'Proxies whose X-Forwarded-For and X-Forwarded-Proto are trusted.',
    check: networks,
  },
  {
    name: 'logLevel',
    env: 'MISHAP_LOG_LEVEL',
    default: 'info',
    allowed: 'debug, info, warn, error',
    sentence: 'Lowest level of the printed log lines.',
    check: oneOf('debug', 'info', 'warn', 'error'),
  },
  {
    name: 'journalBytesMax',
    env: 'MISHAP_JOURNAL_BYTES_MAX',
    default: String(10 * 1024 * MiB),
    unit: 'bytes',
    allowed: '67108864 or more',
    sentence: 'Size limit of the journal, at most 10% of the disk. At the limit, ingest answers 503.',
    check: integer(64 * MiB, 1e15),
  },
  {
    name: 'journalGroupMs',
    env: 'MISHAP_JOURNAL_GROUP_MS',
    default: '1',
    unit: 'ms',
    allowed: '0 to 50',
    sentence:
      'How long an envelope may wait for others to share one sync to disk, and four times that while 2 to 7 wait.',
    check: integer(0, 50),
  },
  {
    name: 'diskReserveBytes',
    env: 'MISHAP_DISK_RESERVE_BYTES',
    default: String(512 * MiB),
    unit: 'bytes',
    allowed: '0 or more',
    sentence: 'Ingest answers 503 ACCEPT_DISK_FULL when less disk space than this is free.',
    check: integer(0, 1e15),
  },
  {
    name: 'engineMemoryBytes',
    env: 'MISHAP_ENGINE_MEMORY_BYTES',
    default: 'auto',
    unit: 'bytes',
    allowed: 'auto, or 134217728 or more',
    sentence:
      'Tracked memory of the embedded events store. Its resident memory can reach 1.8 times this. auto: 0.3 of the machine’s or container’s memory, at most 600 MiB.',
    check: (text) => text === 'auto' || integer(engineBytesMin, 1e12)(text),
  },
  {
    name: 'events',
    env: 'MISHAP_EVENTS',
    default: '',
    allowed:
      'http(s)://USER:PASSWORD@HOST:PORT/DATABASE with percent escapes for special characters, or empty for the embedded store',
    sentence:
      'ClickHouse server that stores events, spans and sessions. No engine process runs then. See docs/external.md.',
    secret: true,
    check: (text) => text === '' || isEventsServer(text),
  },
  {
    name: 'eventsBackup',
    env: 'MISHAP_EVENTS_BACKUP',
    default: '',
    allowed: "Disk('NAME'), Disk('NAME', 'FOLDER'), S3('URL', 'KEY', 'SECRET') or empty",
    sentence:
      'Where the ClickHouse server itself writes its part of a backup. Empty: the rows are streamed into the archive.',
    secret: true,
    check: (text) => text === '' || backupTarget.test(text),
  },
  {
    name: 'refineWorkers',
    env: 'MISHAP_REFINE_WORKERS',
    default: '1',
    allowed: '1 to 16',
    sentence: 'Worker threads that turn envelopes into rows.',
    check: integer(1, 16),
  },
  {
    name: 'retentionErrorsDays',
    env: 'MISHAP_RETENTION_ERRORS_DAYS',
    default: '90',
    unit: 'days',
    allowed: '1 to 3650',
    sentence: 'How long error events are kept.',
    check: integer(1, 3650),
  },
  {
    name: 'retentionSpansDays',
    env: 'MISHAP_RETENTION_SPANS_DAYS',
    default: '30',
    unit: 'days',
    allowed: '1 to 3650',
    sentence: 'How long transactions and their spans are kept.',
    check: integer(1, 3650),
  },
  {
    name: 'retentionLogsDays',
    env: 'MISHAP_RETENTION_LOGS_DAYS',
    default: '14',
    unit: 'days',
    allowed: '1 to 3650',
    sentence: 'How long log lines are kept.',
    check: integer(1, 3650),
  },
  {
    name: 'retentionMetricsDays',
    env: 'MISHAP_RETENTION_METRICS_DAYS',
    default: '90',
    unit: 'days',
    allowed: '1 to 3650',
    sentence: 'How long metrics are kept.',
    check: integer(1, 3650),
  },
  {
    name: 'diskBudget',
    env: 'MISHAP_DISK_BUDGET',
    default: '80%',
    unit: 'bytes, or a part of the volume',
    allowed: '1% to 100%, 1048576 bytes or more, or off',
    sentence: 'Limit for everything stored. Above it, Mishap downsamples the oldest and most repeated events.',
    check: (t) => budgetOf(t) !== undefined,
  },
  {
    name: 'blobs',
    env: 'MISHAP_BLOBS',
    default: '',
    allowed:
      's3://BUCKET/PREFIX?endpoint=URL&region=R&accessKeyId=K&secretAccessKey=S, or empty. Without the last two, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are used',
    sentence:
      'Where attachments, uploads of builds and dead letters are stored: a bucket with the S3 interface. Empty: in the data folder. See external.md.',
    check: (t) => t === '' || blobsOf(t) !== undefined,
    secret: true,
  },
  {
    name: 'outgoingNetworks',
    env: 'MISHAP_OUTGOING_NETWORKS',
    default: '',
    allowed: 'addresses or CIDR ranges, separated by commas',
    sentence:
      'Private or reserved networks that webhooks and script fetches may call. All other private addresses are refused.',
    check: networks,
  },
  {
    name: 'organizationEventsPerMinute',
    env: 'MISHAP_ORGANIZATION_EVENTS_PER_MINUTE',
    default: '0',
    unit: 'items a minute',
    allowed: '0 (no limit) or more',
    sentence: 'Rate limit of each organization, over all its keys.',
    check: integer(0, 1e12),
  },
  {
    name: 'attachmentBytesPerHour',
    env: 'MISHAP_ATTACHMENT_BYTES_PER_HOUR',
    default: '268435456',
    unit: 'bytes an hour',
    allowed: '0 (no limit) or more',
    sentence: 'Limit for attachments that a project sends without their event. Each counts as at least 4 KiB.',
    check: integer(0, 1e15),
  },
  {
    name: 'metrics',
    env: 'MISHAP_METRICS',
    default: 'auto',
    allowed: 'auto, token, local, off',
    sentence:
      'Who may read /metrics: tokens with org:read, and with local also this machine without a token. auto means local if MISHAP_URL names this machine and no proxy is trusted, otherwise token.',
    check: oneOf('auto', 'token', 'local', 'off'),
  },
  {
    name: 'selfReporting',
    env: 'MISHAP_SELF_REPORTING',
    default: 'on',
    allowed: 'on, off',
    sentence: 'Whether errors of Mishap’s screens are reported to the project "mishap" of this installation.',
    check: oneOf('on', 'off'),
  },
  {
    name: 'selfTraces',
    env: 'MISHAP_SELF_TRACES_PER_MINUTE',
    default: '1',
    unit: 'pages a minute',
    allowed: '0 (none) or more',
    sentence:
      'How many page loads a minute of Mishap’s screens send a trace to the project "mishap", for all people together. A page sends at most 45 items.',
    check: integer(0, 1e6),
  },
  {
    name: 'alertRulesMax',
    env: 'MISHAP_ALERT_RULES_MAX',
    default: '1000',
    allowed: '1 to 100000',
    sentence: 'Alert rules of one organization.',
    check: integer(1, 1e5),
  },
] as const satisfies readonly Setting[]

type Name = (typeof settings)[number]['name']

export type Config = {
  port: number
  host: string
  /** Absolute path. */
  data: string
  /** URL of the PostgreSQL database with its password; '' for SQLite in the data folder. */
  meta: string
  /** Without a trailing slash; includes the path, if any. */
  url: string
  /** The path of `url`: '' or, for example, `/mishap`. */
  basePath: string
  trustedProxies: string[]
  logLevel: string
  journalBytesMax: number
  journalGroupMs: number
  diskReserveBytes: number
  engineMemoryBytes: number
  /** The ClickHouse server of the events store; undefined: the embedded engine. */
  events: EventsServer | undefined
  refineWorkers: number
  retentionErrorsDays: number
  retentionSpansDays: number
  retentionLogsDays: number
  retentionMetricsDays: number
  diskBudget: DiskBudget
  /** Undefined: in files of the data folder. The keys are separate (`blobCredentials`), because this type is shown and passed on. */
  blobs: BlobsConfig | undefined
  outgoingNetworks: string[]
  organizationEventsPerMinute: number
  attachmentBytesPerHour: number
  /** Who can read /metrics without a token: nobody, or requests from this machine. */
  metrics: 'token' | 'local' | 'off'
  selfReporting: boolean
  /** Page loads of Mishap's own screens that send traces, per minute. */
  selfTraces: number
  alertRulesMax: number
  hostname: string
}

/** Returns whether the host of a URL or of a Host header, with or without port, is this machine. */
export function namesThisMachine(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i.test(host)
}

/** `auto` is token behind a proxy (seen in MISHAP_URL or the trusted proxies), because it can forward any client. */
function metricsAccess(word: string, url: string, trustedProxies: string): Config['metrics'] {
  if (word === 'token' || word === 'local' || word === 'off') return word
  return namesThisMachine(new URL(url).host) && listOf(trustedProxies).length === 0 ? 'local' : 'token'
}

/** A setting that only the system could reject: a folder that cannot be created, an address of another machine. */
export class SettingError extends Error {
  readonly setting: Name
  /** The system's error code, such as ENOTFOUND. */
  readonly why: string

  constructor(setting: Name, why: string) {
    super(`${setting}: ${why}`)
    this.name = 'SettingError'
    this.setting = setting
    this.why = why
  }
}

/** A setting with an invalid value. The command prints `sentence` and exits with 78 (EX_CONFIG). */
type ConfigError = { code: string; sentence: string }

type SettingSources = { flags: Record<string, string>; env: Record<string, string | undefined> }

const sourceValue = (setting: Setting, { flags, env }: SettingSources): string =>
  (setting.flag === undefined ? undefined : flags[setting.flag]) ?? env[setting.env] ?? setting.default

/** Returns the error of a setting: its source, its value, the allowed values, and the system's error code. */
function refusal(setting: Setting, sources: SettingSources, why?: string): ConfigError {
  const named = setting.flag !== undefined && sources.flags[setting.flag] !== undefined ? setting.flag : setting.env
  const allowed = why === undefined ? setting.allowed : `${setting.allowed} (${why})`
  return {
    code: `CONFIG_${setting.env.slice('MISHAP_'.length)}`,
    sentence: setting.secret
      ? `${named} is not valid. Its value is not shown, because it can contain a secret. Allowed: ${allowed}.`
      : `${named} is "${sourceValue(setting, sources)}". Allowed: ${allowed}.`,
  }
}

/** Converts a SettingError to the printed error. */
export function refusalOf(
  error: SettingError,
  flags: SettingSources['flags'],
  env: SettingSources['env'],
): ConfigError {
  const setting = settings.find((known) => known.name === error.setting) ?? settings[0]
  return refusal(setting, { flags, env }, error.why)
}

/**
 * Reads every setting from `flags` (by flag name), then `env`, then the default. `memoryBytes` is this machine's
 * memory. Returns the config, or the first invalid setting. Never throws.
 */
export function readConfig(
  flags: Record<string, string>,
  env: Record<string, string | undefined>,
  memoryBytes: number = machineMemory(),
): { config: Config } | { error: ConfigError } {
  const text = {} as Record<Name, string>
  for (const setting of settings) {
    const item: Setting = setting
    const value = sourceValue(item, { flags, env })
    if (!item.check(value)) return { error: refusal(item, { flags, env }) }
    text[setting.name] = value
  }
  if (text.blobs !== '' && !blobCredentials(env))
    return {
      error: {
        code: 'CONFIG_BLOBS',
        sentence:
          'MISHAP_BLOBS has no keys. Add accessKeyId and secretAccessKey to it, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
      },
    }
  const url = (text.url || `http://localhost:${text.port}`).replace(/\/$/, '')
  return {
    config: {
      port: Number(text.port),
      host: text.host,
      data: resolve(text.data),
      meta: withoutPassword(text.meta),
      url,
      basePath: new URL(url).pathname.replace(/\/$/, ''),
      metrics: metricsAccess(text.metrics, url, text.trustedProxies),
      outgoingNetworks: listOf(text.outgoingNetworks),
      trustedProxies: listOf(text.trustedProxies),
      logLevel: text.logLevel,
      journalBytesMax: Number(text.journalBytesMax),
      journalGroupMs: Number(text.journalGroupMs),
      diskReserveBytes: Number(text.diskReserveBytes),
      engineMemoryBytes:
        text.engineMemoryBytes === 'auto' ? engineBytesFor(memoryBytes) : Number(text.engineMemoryBytes),
      events: eventsServerOf(text.events),
      refineWorkers: Number(text.refineWorkers),
      retentionErrorsDays: Number(text.retentionErrorsDays),
      retentionSpansDays: Number(text.retentionSpansDays),
      retentionLogsDays: Number(text.retentionLogsDays),
      retentionMetricsDays: Number(text.retentionMetricsDays),
      diskBudget: budgetOf(text.diskBudget) ?? 'off',
      blobs: blobsOf(text.blobs)?.place,
      organizationEventsPerMinute: Number(text.organizationEventsPerMinute),
      attachmentBytesPerHour: Number(text.attachmentBytesPerHour),
      selfReporting: text.selfReporting === 'on',
      selfTraces: Number(text.selfTraces),
      alertRulesMax: Number(text.alertRulesMax),
      hostname: hostname(),
    },
  }
}

/**
 * Returns the folder of the built screens under src/web. Next embeds the path of its address, so each path has its own
 * build. scripts/bootstrap.mjs names the folder by the same rule.
 */
export const screensFolder = (basePath: string): string =>
  basePath === '' ? '.next' : `.next-at${basePath.replaceAll('/', '-')}`

/** Returns the environment of this process. No other code reads it. */
export const environment = (): Record<string, string | undefined> => process.env

/** Changes variables for this process and those that it starts. */
export const changeEnvironment = (values: Record<string, string>): void => void Object.assign(process.env, values)

/** Secrets of the events store. They are not part of Config, which other processes get as an argument. */
type EventsSecrets = { password: string; backup: string }

/** Returns the password of the ClickHouse server and the destination of its backups, both possibly empty. */
export const eventsSecrets = (env: Record<string, string | undefined> = environment()): EventsSecrets => ({
  password: eventsPasswordOf(env.MISHAP_EVENTS ?? ''),
  backup: env.MISHAP_EVENTS_BACKUP ?? '',
})

/** Returns the version of this program from its package.json. */
export const programVersion = (): string =>
  (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }).version

/**
 * Returns the URL of the setting `meta` with its password, which only the environment has. `url`: the one of the config.
 * It is returned as it is if the environment names another database.
 */
export function metaUrlOf(url: string, env: Record<string, string | undefined> = environment()): string {
  const full = env.MISHAP_META ?? ''
  return withoutPassword(full) === url ? full : url
}
