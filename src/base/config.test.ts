import { expect, test } from 'vitest'
import { metaUrlOf, readConfig, screensFolder, settings } from './config.ts'

const config = (flags: Record<string, string> = {}, env: Record<string, string> = {}) => {
  const read = readConfig(flags, env)
  return 'config' in read ? read.config : read.error
}

test('every default is allowed by its own check', () => {
  for (const setting of settings) expect([setting.name, setting.check(setting.default)]).toEqual([setting.name, true])
  expect(config()).toMatchObject({
    port: 9000,
    url: 'http://localhost:9000',
    selfReporting: true,
    selfTraces: 1,
    trustedProxies: [],
  })
})

test.each([
  [
    'the flag wins over the environment',
    { '--port': '1234' },
    { MISHAP_PORT: '4321' },
    { port: 1234, url: 'http://localhost:1234' },
  ],
  ['the environment wins over the default', {}, { MISHAP_PORT: '4321' }, { port: 4321 }],
  ['a slash behind the URL goes', { '--url': 'https://errors.example/' }, {}, { url: 'https://errors.example' }],
  [
    'a URL may have a path',
    { '--url': 'https://x.example/tools/mishap/' },
    {},
    { url: 'https://x.example/tools/mishap', basePath: '/tools/mishap' },
  ],
  ['a URL may have none', { '--url': 'https://x.example' }, {}, { basePath: '' }],
  ['proxies are split', {}, { MISHAP_TRUSTED_PROXIES: '10.0.0.0/8, ::1' }, { trustedProxies: ['10.0.0.0/8', '::1'] }],
  ['a budget may be a part', {}, { MISHAP_DISK_BUDGET: '55%' }, { diskBudget: { part: 0.55 } }],
  ['a budget may be bytes', {}, { MISHAP_DISK_BUDGET: '5000000' }, { diskBudget: { bytes: 5_000_000 } }],
  ['there may be no budget', {}, { MISHAP_DISK_BUDGET: 'off' }, { diskBudget: 'off' }],
  ['metrics are open to this machine', {}, {}, { metrics: 'local' }],
  ['also under its address', {}, { MISHAP_URL: 'http://127.0.0.1:9000/mishap' }, { metrics: 'local' }],
  ['not under a public address', {}, { MISHAP_URL: 'https://errors.example' }, { metrics: 'token' }],
  ['not under one that looks like it', {}, { MISHAP_URL: 'http://127.0.0.1.example' }, { metrics: 'token' }],
  ['not behind a proxy', {}, { MISHAP_TRUSTED_PROXIES: '127.0.0.1' }, { metrics: 'token' }],
  [
    'metrics as they are set',
    {},
    { MISHAP_METRICS: 'local', MISHAP_URL: 'https://errors.example' },
    { metrics: 'local' },
  ],
  ['metrics may be off', {}, { MISHAP_METRICS: 'off' }, { metrics: 'off' }],
  ['off is false', {}, { MISHAP_SELF_REPORTING: 'off' }, { selfReporting: false }],
  ['events are embedded by default', {}, {}, { events: undefined }],
  [
    'a ClickHouse server loses its password',
    {},
    { MISHAP_EVENTS: 'https://ada:secret@ch.example:8443/errors' },
    { events: { url: 'https://ch.example:8443', host: 'ch.example:8443', user: 'ada', database: 'errors' } },
  ],
])('%s', (_name, flags, env, expected) => {
  expect(config(flags, env)).toMatchObject(expected)
})

test.each([
  [{ '--port': '0' }, {}, 'CONFIG_PORT', '--port is "0"'],
  [{ '--port': '65536' }, {}, 'CONFIG_PORT', '1 to 65535'],
  [{}, { MISHAP_PORT: 'http' }, 'CONFIG_PORT', 'MISHAP_PORT is "http"'],
  [{ '--url': 'ftp://x' }, {}, 'CONFIG_URL', '--url is "ftp://x"'],
  [{ '--url': 'https://x/api' }, {}, 'CONFIG_URL', 'not /api'],
  [{ '--url': 'https://x/api/errors' }, {}, 'CONFIG_URL', 'not /api'],
  [{ '--url': 'https://x//mishap' }, {}, 'CONFIG_URL', 'plain words'],
  [{ '--url': 'https://x/../mishap' }, {}, 'CONFIG_URL', 'plain words'],
  [{ '--url': 'https://x/mis%20hap' }, {}, 'CONFIG_URL', 'plain words'],
  [{ '--url': 'https://x/mishap?a=b' }, {}, 'CONFIG_URL', 'plain words'],
  [{ '--url': 'https://me:secret@x/' }, {}, 'CONFIG_URL', 'plain words'],
  [{}, { MISHAP_LOG_LEVEL: 'loud' }, 'CONFIG_LOG_LEVEL', 'debug, info, warn, error'],
  [{}, { MISHAP_TRUSTED_PROXIES: 'my-proxy' }, 'CONFIG_TRUSTED_PROXIES', 'my-proxy'],
  [{}, { MISHAP_TRUSTED_PROXIES: '::1, 10.0.0.0/999' }, 'CONFIG_TRUSTED_PROXIES', '10.0.0.0/999'],
  [{}, { MISHAP_OUTGOING_NETWORKS: '10.0.0.0/33' }, 'CONFIG_OUTGOING_NETWORKS', '10.0.0.0/33'],
  [{}, { MISHAP_OUTGOING_NETWORKS: 'fd00::/129' }, 'CONFIG_OUTGOING_NETWORKS', 'fd00::/129'],
  [{}, { MISHAP_OUTGOING_NETWORKS: '10.0.0/8' }, 'CONFIG_OUTGOING_NETWORKS', '10.0.0/8'],
  [{}, { MISHAP_OUTGOING_NETWORKS: '300.0.0.1' }, 'CONFIG_OUTGOING_NETWORKS', '300.0.0.1'],
  [{}, { MISHAP_DISK_BUDGET: '0%' }, 'CONFIG_DISK_BUDGET', '1% to 100%'],
  [{}, { MISHAP_DISK_BUDGET: '101%' }, 'CONFIG_DISK_BUDGET', '1% to 100%'],
  [{}, { MISHAP_DISK_BUDGET: '1000' }, 'CONFIG_DISK_BUDGET', '1048576 bytes or more'],
  [{}, { MISHAP_METRICS: 'yes' }, 'CONFIG_METRICS', 'auto, token, local, off'],
  [{}, { MISHAP_SELF_TRACES_PER_MINUTE: 'many' }, 'CONFIG_SELF_TRACES_PER_MINUTE', '0 (none) or more'],
  [{}, { MISHAP_SELF_REPORTING: 'yes' }, 'CONFIG_SELF_REPORTING', 'on, off'],
])('%j %j is refused with its name, its value and what is allowed', (flags, env, code, part) => {
  const error = config(flags as Record<string, string>, env as Record<string, string>)
  expect(error).toMatchObject({ code })
  expect((error as { sentence: string }).sentence).toContain(part)
})

test.each([
  ['', '.next'],
  ['/mishap', '.next-at-mishap'],
  ['/tools/mishap', '.next-at-tools-mishap'],
])('the screens for the path "%s" lie in %s', (path, folder) => {
  expect(screensFolder(path)).toBe(folder)
})

const MiB = 1024 * 1024
test.each([
  ['a small container leaves room for the others', undefined, 1024 * MiB, 322_122_547],
  ['a large machine gives 600 MiB', undefined, 24_000 * MiB, 600 * MiB],
  ['a tiny one gives what the engine needs', undefined, 256 * MiB, 128 * MiB],
  ['what is set holds', '734003200', 1024 * MiB, 700 * MiB],
])('memory of the events store: %s', (_, set, memoryBytes, bytes) => {
  const read = readConfig({}, set === undefined ? {} : { MISHAP_ENGINE_MEMORY_BYTES: set }, memoryBytes)
  expect(read).toMatchObject({ config: { engineMemoryBytes: bytes } })
})

test('the config has the URL of the database without its password, which only the environment gives', () => {
  const env = { MISHAP_META: 'postgres://ann:s3cret@db/mishap' }
  const read = readConfig({}, env)
  if ('error' in read) throw new Error(read.error.sentence)
  expect(JSON.stringify(read.config)).not.toContain('s3cret')
  expect(metaUrlOf(read.config.meta, env)).toBe(env.MISHAP_META)
  expect(metaUrlOf('postgres://other/mishap', env)).toBe('postgres://other/mishap')
})
