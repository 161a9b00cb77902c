import { describe, expect, it } from 'vitest'
import { sampleEvent } from '../panels/issue/sample.cases.ts'
import { entryOf } from './event-entries.ts'

describe('entryOf', () => {
  it('finds an entry by its type', () => {
    const event = sampleEvent({ entries: [{ type: 'csp', data: { a: 1 } }] })
    expect(entryOf(event, 'csp')?.data).toEqual({ a: 1 })
    expect(entryOf(event, 'request')).toBeUndefined()
  })
})
