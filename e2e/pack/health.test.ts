import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { freePort, root } from '../product.ts'
import { named, stagesOf } from './dockerfile.ts'

const product = inject('product')
const [check = ''] = named(stagesOf(readFileSync(join(root, 'Dockerfile'), 'utf8')).at(-1), 'HEALTHCHECK')
const [program = '', ...words] = JSON.parse(check.slice(check.indexOf('CMD ') + 4)) as string[]

/** Runs the HEALTHCHECK of the image like a container engine. Returns its exit code. */
const health = (port: number) => {
  expect(program).toBe('node')
  return spawnSync(process.execPath, words, { env: { ...process.env, MISHAP_PORT: String(port) } }).status
}

test('the health check of the image says 0 of a product that is ready', () => expect(health(product.port)).toBe(0))

test('and 1 where nothing answers', async () => expect(health(await freePort())).toBe(1))
