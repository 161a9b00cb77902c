import { describe, expect, it } from 'vitest'
import { bounds, createHighlighter } from './highlight.ts'
import { type Language, languageOf } from './languages.ts'

const highlight = () => createHighlighter(() => 0)

describe('languageOf', () => {
  it.each<[string | null, string | null, Language | undefined]>([
    ['src/cart.tsx', 'javascript', 'typescript'],
    ['webpack://_N_E/./src/page.ts?1a2b', null, 'typescript'],
    ['https://shop.test/main.js#x', null, 'javascript'],
    ['/srv/app/Views.PY', 'python', 'python'],
    ['<anonymous>', 'node', 'javascript'],
    [null, 'ruby', 'ruby'],
    ['Makefile', 'other', undefined],
    ['a.constructor', null, undefined],
    [null, 'toString', undefined],
    [null, null, undefined],
  ])('%s of %s: %s', (filename, platform, language) => expect(languageOf(filename, platform)).toBe(language))
})

describe('highlight', () => {
  it.each<[Language, string, string, string]>([
    ['bash', 'if true; then', 'if', 'key'],
    ['csharp', 'public void Run()', 'public', 'key'],
    ['go', 'func main() {}', 'func', 'key'],
    ['java', 'class A {}', 'class', 'key'],
    ['javascript', 'const a = <b c="d" />', 'const', 'key'],
    ['json', '{"a": 1}', '1', 'num'],
    ['kotlin', 'val a = 1', 'val', 'key'],
    ['php', '<?php echo 1;', 'echo', 'key'],
    ['python', 'def totals(cart):', 'totals', 'fn'],
    ['ruby', 'def totals', 'def', 'key'],
    ['rust', 'let a = 1;', 'let', 'key'],
    ['sql', "SELECT 'a'", "'a'", 'str'],
    ['typescript', 'interface A {}', 'interface', 'key'],
    ['xml', '<a>b</a>', 'a', 'tag'],
  ])('knows %s', async (language, code, text, kind) => {
    const lines = await highlight()(code, language)
    expect(lines?.flat()).toContainEqual({ text, kind })
    expect(lines?.flat().map((token) => token.text)).toEqual(expect.arrayContaining([text]))
    expect(lines?.map((line) => line.map((token) => token.text).join('')).join('\n')).toBe(code)
  })

  it('never changes the code: markup is text', async () => {
    const code = `const a = "<img src=x onerror=alert(1)>"\n</script><script>alert(2)</script> &amp; \u202e`
    const lines = await highlight()(code, 'javascript')
    expect(lines?.map((line) => line.map((token) => token.text).join('')).join('\n')).toBe(code)
  })

  it.each([
    ['a long line', 'a'.repeat(bounds.lineCharacters + 1)],
    ['long code', `${'a'.repeat(99)}\n`.repeat(bounds.characters / 100 + 1)],
  ])('leaves %s plain', async (_name, code) => expect(await highlight()(code, 'javascript')).toBeUndefined())

  it('leaves everything plain after its budget of time is spent', async () => {
    let nowMs = 0
    const slow = createHighlighter(() => {
      nowMs += 200
      return nowMs
    })
    const first = await slow('const a = 1', 'javascript')
    const second = await slow('const b = 1', 'javascript')
    expect([first?.length, second?.length]).toEqual([1, 1])
    expect(await slow('const c = 1', 'javascript')).toBeUndefined()
  })
})
