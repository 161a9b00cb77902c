import { describe, expect, it } from 'vitest'
import { platforms } from '../platforms.ts'
import { setupOf } from './setup.ts'

const target = {
  dsn: 'http://abc@mishap.example/3',
  url: 'https://mishap.example',
  organization: 'acme',
  project: 'shop',
}

describe('setupOf', () => {
  it.each(platforms.map(({ id }) => [id]))(
    '%s: files once, the DSN, no placeholder, a release and a test error',
    (id) => {
      const setup = setupOf(id, target)
      const parts = [setup.install, ...setup.files, ...setup.release, setup.test]
      const text = parts.map((part) => part.code).join('\n')
      expect(text).toContain(target.dsn)
      expect(text).not.toMatch(/__(DSN|URL|ORG|PROJECT)__/)
      const names = setup.files.map((part) => part.where)
      expect(new Set(names).size).toBe(names.length)
      expect(names.length).toBeGreaterThan(0)
      expect(setup.release.length).toBeGreaterThan(0)
      expect(`${setup.test.where} ${setup.test.code}`).toMatch(/First error for Mishap|sentry:test|send_test_event/)
    },
  )
  it.each([
    ['javascript', '@sentry/browser'],
    ['javascript-react', '@sentry/react'],
    ['javascript-nextjs', 'onRequestError'],
    ['node', '--import ./instrument.mjs'],
    ['python-django', 'sentry-sdk[django]'],
    ['ruby-rails', 'sentry-rails'],
    ['never-heard-of', 'SENTRY_DSN='],
    ['toString', 'SENTRY_DSN='],
    [null, 'SENTRY_DSN='],
  ])('%s names %s', (id, word) => {
    const { install, files } = setupOf(id, target)
    expect([install, ...files].map((part) => part.code).join('\n')).toContain(word)
  })
  it.each([
    'javascript',
    'javascript-react',
    'javascript-nextjs',
    'javascript-vue',
    'node',
    'python-django',
    'ruby',
    'go',
    'php',
  ])('%s sends traces', (id) => {
    const code = setupOf(id, target)
      .files.map((part) => part.code)
      .join('\n')
    expect(code).toMatch(/traces_?sample_?rate/i)
  })
  it('uploads source maps to this installation where builds have them', () => {
    for (const { id } of platforms) {
      const setup = setupOf(id, target)
      if (setup.readable !== 'source-maps') continue
      const text = [...setup.files, ...setup.release].map((part) => part.code).join('\n')
      for (const word of [target.url, 'acme', 'shop', 'SENTRY_AUTH_TOKEN']) expect(`${id} ${text}`).toContain(word)
    }
  })
  it('throws the first browser error where it is seen: a console’s own throw is not', () =>
    expect(setupOf('javascript', target).test.code).toContain('setTimeout'))
})
