import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import de from '../messages/de.json'
import en from '../messages/en.json'
import frameDe from '../messages/frame.de.json'
import frameEn from '../messages/frame.en.json'
import { accountPages, allowedPages, organizationPages, projectSections, sectionPath } from './settings-pages.ts'

const app = join(import.meta.dirname, '..', 'app', 'o', '[org]')
const hasPage = (path: string) => existsSync(join(app, path, 'page.tsx'))

test.each(projectSections)('$id has a page and its texts', ({ id, path }) => {
  expect(hasPage(path('[project]'))).toBe(true)
  for (const { projectSettings } of [en, de]) {
    expect(projectSettings).toHaveProperty(id)
    expect(projectSettings).toHaveProperty(`${id}Title`)
  }
})

test.each([...accountPages, ...organizationPages])('$id has a page and its texts', ({ id, path }) => {
  expect(hasPage(path)).toBe(true)
  for (const { settings } of [frameEn, frameDe]) {
    expect(settings).toHaveProperty(id)
    expect(settings.words).toHaveProperty(id)
  }
})

test('a path has the organization and the project', () => {
  expect(sectionPath('general', 'acme', 'web')).toBe('/o/acme/settings/projects/web')
  expect(sectionPath('sources', 'acme', 'web')).toBe('/o/acme/settings/projects/web/source-maps')
  expect(sectionPath('setup', 'acme', 'web')).toBe('/o/acme/projects/web/setup')
})

test.each([
  [{ tokens: false, status: false }, ['organization', 'members', 'notifications', 'integrations']],
  [{ tokens: true, status: false }, ['organization', 'members', 'notifications', 'integrations', 'organizationTokens']],
  [{ tokens: false, status: true }, ['organization', 'members', 'notifications', 'integrations', 'status']],
])('with %j the pages are %j', (rights, ids) => {
  expect(allowedPages(rights).map((page) => page.id)).toEqual(ids)
})
