import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import de from '../../../../../../messages/de.json'
import en from '../../../../../../messages/en.json'
import { projectSections, sectionPath } from './sections.ts'

const app = join(import.meta.dirname, '..', '..', '..')

test.each(projectSections)('$id has a page and its texts', ({ id, path }) => {
  expect(existsSync(join(app, path('[project]'), 'page.tsx'))).toBe(true)
  for (const { projectSettings } of [en, de]) expect(projectSettings).toHaveProperty(id)
})

test('a path has the organization and the project', () => {
  expect(sectionPath('general', 'acme', 'web')).toBe('/o/acme/settings/projects/web')
  expect(sectionPath('sources', 'acme', 'web')).toBe('/o/acme/settings/projects/web/source-maps')
  expect(sectionPath('setup', 'acme', 'web')).toBe('/o/acme/projects/web/setup')
})
