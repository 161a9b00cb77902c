import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { root } from '../product.ts'

const standalone = join(root, 'src/web/.next/standalone')

test('the built screens hold no image library and nothing that only a build reads', () => {
  const files = globSync('**/*', { cwd: standalone })
  expect(files.length).toBeGreaterThan(1000)
  expect(
    files.filter((path) => /(^|\/)(@img|sharp)(\/|$)|libvips|capsize|-experimental\.runtime|\.node$/.test(path)),
  ).toEqual([])
})

test('no image is resized: the path of the image library answers 404', async () => {
  const path = '/_next/image?url=%2Ficon.svg&w=64&q=75'
  expect((await fetch(`${inject('product').url}${path}`)).status).toBe(404)
})

test('the lock file names no package under the LGPL or GPL', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { license?: string }>
  }
  const found = Object.entries(packages).filter(([, { license }]) => /GPL/.test(license ?? ''))
  expect(found.map(([path]) => path)).toEqual([])
})
