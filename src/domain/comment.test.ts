import { expect, test } from 'vitest'
import { handleOf, handlesOf, mentionsIn, readComment } from './comment.ts'

const text = (value: string) => ({ kind: 'text', text: value })

test.each<[string, unknown]>([
  ['plain', [{ kind: 'paragraph', lines: [[text('plain')]] }]],
  [
    'a\nb\n\nc',
    [
      { kind: 'paragraph', lines: [[text('a')], [text('b')]] },
      { kind: 'paragraph', lines: [[text('c')]] },
    ],
  ],
  [
    '**a** *b* `**c**`',
    [
      {
        kind: 'paragraph',
        lines: [
          [
            { kind: 'strong', text: 'a' },
            text(' '),
            { kind: 'emphasis', text: 'b' },
            text(' '),
            { kind: 'code', text: '**c**' },
          ],
        ],
      },
    ],
  ],
  ['snake_case_name 2*3*4', [{ kind: 'paragraph', lines: [[text('snake_case_name 2*3*4')]] }]],
  [
    '- a\n- b\n1. c',
    [
      { kind: 'list', ordered: false, lines: [[text('a')], [text('b')]] },
      { kind: 'list', ordered: true, lines: [[text('c')]] },
    ],
  ],
  ['> said', [{ kind: 'quote', lines: [[text('said')]] }]],
  [
    '```js\n<b>@ann</b>\n```\nend',
    [
      { kind: 'code', text: '<b>@ann</b>' },
      { kind: 'paragraph', lines: [[text('end')]] },
    ],
  ],
  [
    'see https://x.example/a?b=1.',
    [
      {
        kind: 'paragraph',
        lines: [
          [text('see '), { kind: 'link', text: 'https://x.example/a?b=1', href: 'https://x.example/a?b=1' }, text('.')],
        ],
      },
    ],
  ],
  [
    '[here](https://x.example)',
    [{ kind: 'paragraph', lines: [[{ kind: 'link', text: 'here', href: 'https://x.example' }]] }],
  ],
  ['[here](javascript:alert(1))', [{ kind: 'paragraph', lines: [[text('[here](javascript:alert(1))')]] }]],
  ['<img src=x onerror=alert(1)>', [{ kind: 'paragraph', lines: [[text('<img src=x onerror=alert(1)>')]] }]],
])('%j', (comment, blocks) => {
  expect(readComment(comment)).toEqual(blocks)
})

test.each<[string, string[]]>([
  ['@Ann, look. And @bob@example.com!', ['ann', 'bob@example.com']],
  ['mail ann@example.com', []],
  ['`@ann` and @ann and @ann', ['ann']],
])('%j names %j', (comment, handles) => {
  expect(mentionsIn(comment)).toEqual(handles)
})

test.each(['*', '_', '`', '[', '@', '**', 'https://', '> ', '[a](', '```\n'])(
  'a text of nothing but %j is read',
  (item) => {
    expect(readComment(item.repeat(10_000 / item.length)).length).toBeGreaterThan(0)
  },
)

test('a handle that two share is their whole address', () => {
  const people = ['ann@a.example', 'ann@b.example', 'bob@a.example'].map((email) => ({ id: email, name: '', email }))
  const [ann, , bob] = people
  expect([...handlesOf(people).keys()]).toEqual(['bob', 'ann@a.example', 'ann@b.example', 'bob@a.example'])
  expect(ann && handleOf(ann, people)).toBe('ann@a.example')
  expect(bob && handleOf(bob, people)).toBe('bob')
})
