import { describe, expect, it } from 'vitest'
import { neighbourIn } from '../../client/list-order.ts'
import { choicesFor } from '../../ui/choice-dialog.tsx'
import { mentionAt } from './comment-form.tsx'
import { archiveChoices, resolveChoices, snoozeChoices } from './status-choices.ts'

describe('choices', () => {
  const run = () => {}
  const choices = [
    { id: 'a', text: 'Until 10 more events', note: 'Archive', run },
    { id: 'b', text: 'For a day', run },
  ]
  it.each<[string, string[]]>([
    ['', ['a', 'b']],
    ['EVENTS until', ['a']],
    ['archive', ['a']],
    ['day week', []],
  ])('%j finds %j', (text, ids) => {
    expect(choicesFor(choices, text).map((choice) => choice.id)).toEqual(ids)
  })
})

describe('the next issue of the list', () => {
  it.each<[string, number, string | undefined]>([
    ['2', 1, '3'],
    ['2', -1, '1'],
    ['1', -1, undefined],
    ['3', 1, undefined],
    ['9', 1, undefined],
  ])('from %s by %i: %s', (id, step, next) => {
    expect(neighbourIn(['1', '2', '3'], id, step)).toBe(next)
  })
})

describe('a name behind an @', () => {
  it.each<[string, { from: number; typed: string } | undefined]>([
    ['@', { from: 1, typed: '' }],
    ['hello @an', { from: 7, typed: 'an' }],
    ['(@bob', { from: 2, typed: 'bob' }],
    ['ann@example', undefined],
    ['@ann said', undefined],
  ])('%j', (text, found) => {
    expect(mentionAt(text, text.length)).toEqual(found)
  })
})

describe('ways to decide', () => {
  it('are what the API takes', () => {
    expect(resolveChoices.map((resolveWay) => resolveWay.change.status)).toEqual(['resolved', 'resolved', 'resolved'])
    expect(archiveChoices.every((archiveWay) => archiveWay.change.status === 'ignored')).toBe(true)
    expect(snoozeChoices(0)[1]?.change.statusDetails).toEqual({ ignoreUntil: '1970-01-02T00:00:00.000Z' })
  })
})
