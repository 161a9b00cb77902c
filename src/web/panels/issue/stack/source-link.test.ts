import { describe, expect, it } from 'vitest'
import type { RestFrame } from '../../../../contract/events.ts'
import { editorHref, editors, isFolder, mappedHref, repositoryHref, sourcePathOf } from './source-link.ts'

const frameOf = (filename: string | null, more: Partial<RestFrame> = {}) =>
  ({ filename, inApp: true, lineNo: 14, ...more }) as RestFrame
const commit = 'a'.repeat(40)
const at = (url: string, sha = commit) => ({ name: 'acme/shop', url, commit: sha })

describe('sourcePathOf', () => {
  it.each([
    ['src/app/page.tsx', 'src/app/page.tsx'],
    ['./src/app/page.tsx', 'src/app/page.tsx'],
    ['../../packages/ui/button.tsx', 'packages/ui/button.tsx'],
    ['webpack://shop/./src/cart.ts', 'src/cart.ts'],
    ['webpack:///src/cart.ts?a1b2', 'src/cart.ts'],
    ['turbopack:///[project]/src/cart.ts', 'src/cart.ts'],
    ['app:///dist/server.js', 'dist/server.js'],
    ['shop/views.py', 'shop/views.py'],
    ['src/app/[id]/page.tsx', 'src/app/[id]/page.tsx'],
    ['/srv/app/src/cart.ts', undefined],
    ['C:\\app\\cart.cs', undefined],
    ['https://shop.example/assets/index-1.js', undefined],
    ['src/../../../etc/passwd.txt', undefined],
    ['webpack://shop/node_modules/react/index.js', undefined],
    ['<anonymous>', undefined],
    ['native code', undefined],
    ['javascript:alert(1).js', undefined],
    ['src/a\u202Eb.ts', undefined],
    [null, undefined],
  ])('%s is %s', (filename, path) => expect(sourcePathOf(frameOf(filename))).toBe(path))
  it('knows no path of a library', () => expect(sourcePathOf(frameOf('src/a.ts', { inApp: false }))).toBeUndefined())
})

describe('repositoryHref', () => {
  it.each([
    ['https://github.com/acme/shop', `https://github.com/acme/shop/blob/${commit}/src/a%20b.ts#L14`],
    ['https://github.com/acme/shop.git/', `https://github.com/acme/shop/blob/${commit}/src/a%20b.ts#L14`],
    ['https://gitlab.example/acme/shop', `https://gitlab.example/acme/shop/-/blob/${commit}/src/a%20b.ts#L14`],
    ['https://bitbucket.org/acme/shop', `https://bitbucket.org/acme/shop/src/${commit}/src/a%20b.ts#lines-14`],
    ['https://codeberg.org/acme/shop', `https://codeberg.org/acme/shop/src/commit/${commit}/src/a%20b.ts#L14`],
    ['https://code.example/acme/shop', `https://code.example/acme/shop/blob/${commit}/src/a%20b.ts#L14`],
    ['javascript:alert(1)', undefined],
    ['git@github.com:acme/shop.git', undefined],
    ['', undefined],
  ])('at %s is %s', (url, href) => expect(repositoryHref(at(url), frameOf('src/a b.ts'))).toBe(href))
  it.each([
    ['no repository', null, frameOf('a/b.ts')],
    ['a commit that is no hash', at('https://github.com/acme/shop', 'main/../x'), frameOf('a/b.ts')],
    ['no line', at('https://github.com/acme/shop'), frameOf('a/b.ts', { lineNo: null })],
    ['no path', at('https://github.com/acme/shop'), frameOf('/srv/b.ts')],
  ])('is undefined with %s', (_, repository, frame) => expect(repositoryHref(repository, frame)).toBeUndefined())
})

describe('editorHref', () => {
  it.each([
    ['vscode', '/home/ada/{project}', 'vscode://file/home/ada/web/src/app/%5Bid%5D/page.tsx:14'],
    ['zed', '/home/ada/web/', 'zed://file/home/ada/web/src/app/%5Bid%5D/page.tsx:14'],
    ['cursor', 'C:\\code\\{project}', 'cursor://file/C:/code/web/src/app/%5Bid%5D/page.tsx:14'],
    ['webstorm', '/a b', 'webstorm://open?file=/a%20b/src/app/%5Bid%5D/page.tsx&line=14'],
    ['notepad', '/home/ada', undefined],
    ['vscode', 'code', undefined],
    ['vscode', '/home/../etc', undefined],
    ['vscode', '', undefined],
  ])('of %s in %s is %s', (editor, folder, href) =>
    expect(editorHref({ editor, folder }, 'web', frameOf('src/app/[id]/page.tsx'))).toBe(href),
  )
  it('is undefined until somebody chose an editor', () =>
    expect(editorHref(undefined, 'web', frameOf('src/a.ts'))).toBeUndefined())
  it('has editors with different ids', () => expect(new Set(editors.map(({ id }) => id)).size).toBe(editors.length))
  it.each([
    ['/home/ada', true],
    ['C:/code', true],
    ['~/code', false],
    ['relative', false],
  ])('the folder %s is usable: %s', (folder, is) => expect(isFolder(folder)).toBe(is))
})

describe('mappedHref', () => {
  const mapping = (change: Partial<{ stackRoot: string; sourceRoot: string; url: string; ref: string }> = {}) => [
    { stackRoot: 'app/', sourceRoot: 'packages/app/', url: 'https://github.com/acme/shop', ref: commit, ...change },
  ]

  it.each([
    ['app/cart.ts', mapping(), `https://github.com/acme/shop/blob/${commit}/packages/app/cart.ts#L14`],
    ['app/a b.ts', mapping({ ref: 'main' }), 'https://github.com/acme/shop/blob/main/packages/app/a%20b.ts#L14'],
    [
      'app/cart.ts',
      mapping({ ref: 'release/1.0' }),
      'https://github.com/acme/shop/blob/release/1.0/packages/app/cart.ts#L14',
    ],
    ['app/cart.ts?x=1', mapping({ sourceRoot: '' }), `https://github.com/acme/shop/blob/${commit}/cart.ts#L14`],
    [
      'cart.ts',
      mapping({ stackRoot: '', sourceRoot: './src/' }),
      `https://github.com/acme/shop/blob/${commit}/src/cart.ts#L14`,
    ],
    [
      '/srv/app/cart.py',
      mapping({ stackRoot: '/srv/', sourceRoot: '', url: 'https://gitlab.example/acme/shop.git' }),
      `https://gitlab.example/acme/shop/-/blob/${commit}/app/cart.py#L14`,
    ],
  ])('%s is at its place', (filename, mappings, href) => expect(mappedHref(mappings, frameOf(filename))).toBe(href))

  it.each([
    ['lib/cart.ts', mapping()],
    ['app/../../secret.ts', mapping()],
    ['app//cart.ts', mapping()],
    ['app/a\u202Eb.ts', mapping()],
    ['app/cart.ts', mapping({ url: 'javascript:alert(1)' })],
    ['app/cart.ts', mapping({ url: '' })],
    ['app/cart.ts', mapping({ ref: '../../evil' })],
    ['app/cart.ts', mapping({ ref: '-x' })],
    ['app/cart.ts', mapping({ ref: 'a#b' })],
    ['app/cart.ts', mapping({ sourceRoot: '../' })],
    ['app/cart.ts', []],
    ['app/cart.ts', undefined],
    [null, mapping()],
  ])('%j with %j has no link', (filename, mappings) => {
    expect(mappedHref(mappings, frameOf(filename))).toBeUndefined()
  })

  it('takes the first mapping that fits, by the absolute path too', () => {
    const mappings = [...mapping({ stackRoot: 'app/deep/' }), ...mapping({ stackRoot: '/srv/', sourceRoot: 'srv/' })]
    const frame = frameOf('cart.ts', { absPath: '/srv/cart.ts' } as Partial<RestFrame>)
    expect(mappedHref(mappings, frame)).toBe(`https://github.com/acme/shop/blob/${commit}/srv/cart.ts#L14`)
  })

  it('has no link for a library or without a line', () => {
    expect(mappedHref(mapping(), frameOf('app/cart.ts', { inApp: false }))).toBeUndefined()
    expect(mappedHref(mapping(), frameOf('app/cart.ts', { lineNo: null }))).toBeUndefined()
  })
})
