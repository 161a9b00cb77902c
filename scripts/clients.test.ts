import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { type Client, clients, kinds } from '../e2e/clients/table.ts'
import { openTap } from '../e2e/clients/tap.ts'

const root = join(import.meta.dirname, '..')
const text = (path: string) => readFileSync(join(root, path), 'utf8')
const versionsIn = (path: string): Record<string, string> =>
  (JSON.parse(text(path)) as { devDependencies: Record<string, string> }).devDependencies
const versions = {
  ...versionsIn('package.json'),
  ...versionsIn('packaging/development/package.json'),
  ...versionsIn('e2e/clients/package.json'),
}

/** Reads the pinned SDK version of each toolchain. Ruby is not pinned: it uses the installed gem. */
const pins: Readonly<Partial<Record<Client['toolchain'], (client: Client) => string | undefined>>> = {
  browser: ({ name, package: sdk }) => (versions[sdk.replace('browser', name)] ?? versions[sdk])?.split('@').at(-1),
  next: (client) => versions[client.package],
  node: (client) => versions[client.package],
  'older-node': ({ name, package: sdk }) => versions[sdk.replace('node', name)]?.split('@').at(-1),
  python: () => /^sentry-sdk==(.+)$/m.exec(text('e2e/clients/python/requirements.txt'))?.[1],
  go: () => /sentry-go v(\S+)/.exec(text('e2e/clients/go/go.mod'))?.[1],
  java: () => /<artifactId>sentry<\/artifactId>\s*<version>(.+)</.exec(text('e2e/clients/java/pom.xml'))?.[1],
  rust: () => /^sentry = \{ version = "=(.+?)"/m.exec(text('e2e/clients/rust/Cargo.toml'))?.[1],
}

describe('the table of clients', () => {
  test.each(clients.filter(({ toolchain }) => toolchain !== 'ruby'))(
    '$label: its version is the one that is pinned',
    (client) => {
      expect(pins[client.toolchain]?.(client)).toBe(client.version)
    },
  )

  test.each(clients)('$label: what it does not send has a reason', ({ fates }) => {
    expect(Object.keys(fates).sort()).toEqual([...kinds].sort())
    for (const fate of Object.values(fates)) if (typeof fate === 'object') expect(fate.none).toMatch(/^\S.+\.$/)
  })

  test('has each client once', () => {
    const names = clients.map((client) => client.name)
    expect(new Set(names).size).toBe(names.length)
  })
})

test('the tap between SDKs and product passes everything on, reads items and knows what comes a second time', async () => {
  const product = createServer((req, res) => void req.resume().on('end', () => res.writeHead(200).end(req.url)))
  await new Promise<void>((resolve) => product.listen(0, '127.0.0.1', resolve))
  const tap = await openTap(`http://127.0.0.1:${(product.address() as AddressInfo).port}`)
  const items = '{"type":"event"}\n{"a":1}\n{"type":"log","length":3}\n1\n2\n'
  const send = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    fetch(`${tap.url}/api/7/envelope/`, { method: 'POST', body, headers })
  try {
    expect(await (await send(`{"sent_at":"1"}\n${items}`)).text()).toBe('/api/7/envelope/')
    await send(new Uint8Array(gzipSync(`{"sent_at":"2"}\n${items}`)), { 'content-encoding': 'gzip' })
    await send('{"sent_at":"2"}\n{"type":"event"}\n{"a":2}')
    const [first, second, third] = tap.of('7')
    expect(first).toMatchObject({
      status: 200,
      items: [
        ['event', '{"a":1}'],
        ['log', '1\n2'],
      ],
    })
    expect([second?.hash, second?.items]).toEqual([first?.hash, first?.items])
    expect(third?.hash).not.toBe(first?.hash)
    expect(tap.of('8')).toEqual([])
    await new Promise((resolve) => product.close(resolve))
    expect([(await send(items)).status, tap.of('7').at(-1)?.status]).toEqual([502, 502])
  } finally {
    tap.close()
    product.close()
  }
})

describe('what e2e/clients installs', () => {
  const lock = text('e2e/clients/package-lock.json')

  test('is locked to the versions of package.json', () => {
    const { packages } = JSON.parse(lock) as { packages: Record<string, { devDependencies?: Record<string, string> }> }
    expect(packages['']?.devDependencies).toEqual(versionsIn('e2e/clients/package.json'))
  })

  test('comes from the registry of whoever installs it: the lock file names none', () => {
    expect(lock).not.toMatch(/"resolved"/)
    expect(existsSync(join(root, 'e2e/clients/.npmrc'))).toBe(false)
  })

  test('is pinned in Python', () => {
    const lines = text('e2e/clients/python/requirements.txt').trim().split('\n')
    expect(lines.filter((line) => !/^[\w-]+==[\d.]+$/.test(line))).toEqual([])
  })
})
