import { expect, it } from 'vitest'
import { movedPath } from './moved.ts'

it.each([
  ['/o/acme/settings/projects/web', '/o/acme/settings/projects/shop'],
  ['/o/acme/settings/projects/web/keys', '/o/acme/settings/projects/shop/keys'],
  ['/o/web/projects/web/setup', '/o/web/projects/shop/setup'],
  ['/o/acme/projects/web?x=/projects/web', '/o/acme/projects/shop?x=/projects/web'],
  ['/o/acme/projects/projects/setup', '/o/acme/projects/shop/setup'],
  ['/o/acme/issues', '/o/acme/issues'],
])('%s moves to %s', (path, moved) => expect(movedPath(path, 'shop')).toBe(moved))
