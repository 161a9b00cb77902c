import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe } from 'vitest'
import { root } from '../product.ts'
import { behindProxy } from './behind.cases.ts'
import { documented, noNginx } from './nginx.ts'

const path = '/mishap'
const inPlace = documented('nginx')[1]

describe.skipIf(noNginx)('under a path of a host name, behind nginx with TLS', () => {
  // Each path needs its own build of the screens, which takes about a minute after each change.
  beforeAll(async () => {
    const words = [join(root, 'scripts/bootstrap.mjs'), 'build', '--url', `https://localhost${path}`]
    await promisify(execFile)(process.execPath, words)
  }, 600_000)

  describe('as docs/proxy.md has it', () => behindProxy(path, inPlace))

  describe('with a proxy that takes the path away', () => {
    const taken = inPlace?.replace('location /mishap', 'location /mishap/').replace(':9000;', ':9000/;')
    behindProxy(path, taken, false)
  })
})
