import { describe, expect, it, vi } from 'vitest'
import {
  type Binding,
  bindingMap,
  groupedBindings,
  isSingle,
  isTyping,
  secondOf,
  shownKeys,
  spellings,
} from './key-rules.ts'

const binding = (keys: string, label = keys, group = 'List'): Binding => ({ keys, label, group, run: vi.fn() })

describe('spellings', () => {
  const cases: [string, string[]][] = [
    ['j', ['j']],
    ['J', ['J']],
    ['?', ['?', 'Shift+?']],
    ['/', ['/', 'Shift+/']],
    ['[', ['[', 'Shift+[']],
    ['g i', ['g i']],
    ['Shift+j', ['Shift+j']],
    ['$mod+k', ['$mod+k']],
    ['Escape', ['Escape']],
  ]
  it.each(cases)('%s', (keys, expected) => expect(spellings(keys)).toEqual(expected))
})

describe('bindingMap', () => {
  it('runs the newer of two bindings and keeps the browser from acting too', () => {
    const older = binding('j')
    const newer = binding('j')
    const event = { preventDefault: vi.fn() } as unknown as KeyboardEvent
    bindingMap([older, newer]).j?.(event)
    expect(newer.run).toHaveBeenCalledOnce()
    expect(older.run).not.toHaveBeenCalled()
    expect(event.preventDefault).toHaveBeenCalledOnce()
  })
  it.each([
    ['j', 3],
    ['Shift+k', 3],
    ['ArrowDown', 3],
    ['m', 1],
    ['e', 1],
    ['Enter', 1],
  ])('%s held: acts %i times of 3', (keys, times) => {
    const held = binding(keys)
    const press = (repeat: boolean) => ({ repeat, preventDefault: vi.fn() }) as unknown as KeyboardEvent
    for (const repeat of [false, true, true]) bindingMap([held])[keys]?.(press(repeat))
    expect(held.run).toHaveBeenCalledTimes(times)
  })
})

describe('isTyping', () => {
  const cases: [string, unknown, string, boolean][] = [
    ['a text input', { tagName: 'INPUT', type: 'text' }, 'j', true],
    ['a search box', { tagName: 'INPUT', type: 'search' }, '/', true],
    ['an input without a type', { tagName: 'INPUT' }, 'j', true],
    ['a check box', { tagName: 'INPUT', type: 'checkbox' }, 'j', false],
    ['a text area', { tagName: 'TEXTAREA' }, '?', true],
    ['a select', { tagName: 'SELECT' }, 'j', true],
    ['an editor', { tagName: 'DIV', isContentEditable: true }, 'j', true],
    ['Escape in an input', { tagName: 'INPUT', type: 'text' }, 'Escape', false],
    ['the page', { tagName: 'BODY' }, 'j', false],
    ['nothing', null, 'j', false],
  ]
  it.each(cases)('%s', (_name, target, key, expected) => expect(isTyping(target, key)).toBe(expected))
})

describe('the help', () => {
  const cases: [string, string[]][] = [
    ['g i', ['g', 'i']],
    ['Shift+j', ['Shift+j']],
    ['$mod+k', ['Ctrl+k']],
    ['ArrowDown', ['↓']],
    ['+', ['+']],
  ]
  it.each(cases)('shows %s', (keys, expected) => expect(shownKeys(keys)).toEqual(expected))
  it('groups by heading and shows a key once, with the binding that runs', () => {
    const groups = groupedBindings([
      binding('j', 'next'),
      binding('?', 'help', 'Everywhere'),
      binding('k', 'previous'),
      binding('j', 'next issue'),
    ])
    expect(groups.map(({ group, rows }) => [group, rows.map((row) => row.label)])).toEqual([
      ['List', ['next issue', 'previous']],
      ['Everywhere', ['help']],
    ])
  })
})

describe('what two keys do', () => {
  it('is one line with both', () => {
    const [list] = groupedBindings([binding('j', 'Down'), binding('x', 'Select'), binding('ArrowDown', 'Down')])
    expect(list?.rows).toEqual([
      { label: 'Down', ways: [['j'], ['↓']] },
      { label: 'Select', ways: [['x']] },
    ])
  })
})

describe('keys of one letter', () => {
  it.each<[string, boolean]>([
    ['j', true],
    ['?', true],
    ['Shift+e', true],
    ['g i', true],
    ['$mod+k', false],
    ['$mod+Shift+l', false],
    ['Escape', false],
    ['ArrowDown', false],
    ['Enter', false],
    ['Space', false],
  ])('%s: %s', (keys, single) => {
    expect(isSingle(keys)).toBe(single)
  })
})

describe('two presses', () => {
  const run = () => {}
  const bindings = ['i', 'g i', 'g s', 'g i'].map((keys, at) => ({ keys, group: '', label: `${at}`, run }))
  it.each<[string, string, string | undefined]>([
    ['g', 'i', '3'],
    ['g', 's', '2'],
    ['g', 'x', undefined],
    ['x', 'i', undefined],
    ['', 'i', undefined],
  ])('%j and %j', (first, key, label) => {
    expect(secondOf(bindings, first, key)?.label).toBe(label)
  })
})
