import { expect, it } from 'vitest'
import { renamedOrganizationPath, renamedProjectPath } from './renamed-path.ts'

it.each([
  ['/o/acme/settings/projects/web', '/o/acme/settings/projects/shop'],
  ['/o/acme/settings/projects/web/keys', '/o/acme/settings/projects/shop/keys'],
  ['/o/web/projects/web/setup', '/o/web/projects/shop/setup'],
  ['/o/acme/projects/web?x=/projects/web', '/o/acme/projects/shop?x=/projects/web'],
  ['/o/acme/projects/projects/setup', '/o/acme/projects/shop/setup'],
  ['/o/acme/issues', '/o/acme/issues'],
])('%s moves to %s', (path, moved) => expect(renamedProjectPath(path, 'shop')).toBe(moved))

it.each([
  ['/o/acme', '/o/shop'],
  ['/o/acme/issues/5?t=1h', '/o/shop/issues/5?t=1h'],
  ['/o/acme/o/acme', '/o/shop/o/acme'],
  ['/login?next=/o/acme', '/login?next=/o/acme'],
])('%s of an organization moves to %s', (path, moved) => expect(renamedOrganizationPath(path, 'shop')).toBe(moved))
