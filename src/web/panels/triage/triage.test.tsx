import { describe, expect, it } from 'vitest'
import { placeIn } from '../../client/list-order.ts'
import { choicesFor } from '../../ui/forms/choice-dialog.tsx'
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

describe('the place in the list', () => {
  it.each<[string, ReturnType<typeof placeIn>]>([
    ['1', { number: 1, total: 3, previous: undefined, next: '2' }],
    ['2', { number: 2, total: 3, previous: '1', next: '3' }],
    ['3', { number: 3, total: 3, previous: '2', next: undefined }],
    ['9', undefined],
  ])('of %s: %o', (id, place) => {
    expect(placeIn(['1', '2', '3'], id)).toEqual(place)
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
