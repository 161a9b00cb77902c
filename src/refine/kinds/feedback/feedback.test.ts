import { describe, expect, test } from 'vitest'
import { refineBody } from '../../pipeline/fixture.cases.ts'

const id = 'a'.repeat(32)
const eventId = 'b'.repeat(32)
const envelope = (header: object, ...items: [object, unknown][]) =>
  [JSON.stringify(header), ...items.flatMap(([head, body]) => [JSON.stringify(head), JSON.stringify(body)])].join('\n')
const report = (body: unknown, header: object = {}) => refineBody(envelope(header, [{ type: 'user_report' }, body]))
const feedback = (said: unknown, more: object = {}, settings = {}) =>
  refineBody(
    envelope({ event_id: id }, [{ type: 'feedback' }, { contexts: { feedback: said }, ...more }]),
    {},
    settings,
  )
const whole = { event_id: eventId, name: 'Ann', email: 'ann@example.test', comments: 'It broke' }

describe('a user report', () => {
  test('is kept beside its event', () => {
    const { feedback: rows, outcomes, received } = report(whole)
    expect(rows).toEqual([
      {
        row: {
          projectId: 7,
          feedbackId: expect.stringMatching(/^[0-9a-f]{32}$/),
          eventId,
          kind: 'report',
          name: 'Ann',
          email: 'ann@example.test',
          message: 'It broke',
          url: '',
          replayId: '',
          environment: '',
          release: '',
          receivedMs: expect.any(Number),
        },
        outcome: expect.objectContaining({ outcome: 'stored', category: 'feedback', itemType: 'user_report' }),
      },
    ])
    expect([outcomes, received]).toEqual([[], 1])
  })

  test('refined again it is the same; two in one envelope are two', () => {
    const body = envelope({}, [{ type: 'user_report' }, whole], [{ type: 'user_report' }, whole])
    const ids = refineBody(body).feedback.map((entry) => entry.row.feedbackId)
    expect(new Set(ids).size).toBe(2)
    expect(refineBody(body).feedback.map((entry) => entry.row.feedbackId)).toEqual(ids)
  })

  test('takes the id of the envelope when it names none itself', () => {
    expect(report({ comments: 'x' }, { event_id: eventId }).feedback[0]?.row.eventId).toBe(eventId)
  })

  test.each<[string, unknown, string]>([
    ['no words', { ...whole, comments: ' \n ' }, 'bad_item'],
    ['no event', { comments: 'x' }, 'bad_item'],
    ['a list', [], 'bad_json'],
    ['a number', 5, 'bad_json'],
  ])('with %s is counted as invalid', (_says, body, reason) => {
    const { feedback: rows, outcomes } = report(body)
    expect([rows, outcomes]).toMatchObject([[], [{ outcome: 'invalid', reason, category: 'feedback' }]])
  })

  test('hostile text is bounded and stays text', () => {
    const row = report({
      ...whole,
      name: `<script>\u202e${'n'.repeat(500)}`,
      comments: `a\u0007b\r\nc${'x'.repeat(9000)}`,
      email: { toString: 'no' },
    }).feedback[0]?.row
    expect(row?.name).toMatch(/^<script>n{120}$/)
    expect(row?.message.slice(0, 5)).toBe('ab\ncx')
    expect([row?.message.length, row?.email]).toEqual([4096, ''])
  })
})

describe('a feedback', () => {
  const said = {
    message: 'Too slow',
    name: 'Ann',
    contact_email: 'ann@example.test',
    url: 'https://shop.test/cart',
    associated_event_id: eventId,
    replay_id: 'c'.repeat(32),
  }
  test('is kept under its own id, with what its event says', () => {
    const [entry] = feedback(said, { environment: 'production', release: 'shop@1' }).feedback
    expect(entry?.row).toMatchObject({
      feedbackId: id,
      eventId,
      kind: 'feedback',
      name: 'Ann',
      email: 'ann@example.test',
      message: 'Too slow',
      url: 'https://shop.test/cart',
      replayId: 'c'.repeat(32),
      environment: 'production',
      release: 'shop@1',
    })
    expect(entry?.outcome).toMatchObject({ outcome: 'stored', category: 'feedback', itemType: 'feedback' })
  })

  test.each<[string, object, object]>([
    ['the user where it names nobody', { message: 'x' }, { name: 'ann', email: 'u@example.test' }],
    ['no address but http', { message: 'x', url: 'javascript:alert(1)' }, { url: '' }],
    ['no event that is none', { message: 'x', associated_event_id: 'nope' }, { eventId: '' }],
  ])('takes %s', (_says, given, expected) => {
    const user = { username: 'ann', email: 'u@example.test' }
    expect(feedback(given, { user }).feedback[0]?.row).toMatchObject(expected)
  })

  test('without words it is invalid', () => {
    for (const entry of [undefined, {}, { message: '' }, 'text'])
      expect(feedback(entry).outcomes).toMatchObject([{ outcome: 'invalid', reason: 'bad_item' }])
  })

  test('as an event of this type it is the same', () => {
    const body = { type: 'feedback', contexts: { feedback: said } }
    const { feedback: rows, events } = refineBody(envelope({ event_id: id }, [{ type: 'event' }, body]))
    expect([rows[0]?.row.message, events]).toEqual(['Too slow', []])
  })

  test('is scrubbed by the project’s rules', () => {
    const card = feedback({ ...said, message: 'my card 4111 1111 1111 1111' }).feedback[0]?.row.message
    expect(card).not.toContain('4111 1111')
    expect(feedback(said, {}, { sensitiveFields: ['email'] }).feedback[0]?.row.email).not.toContain('ann')
    expect(feedback(said, {}, { scrubDefaults: false }).feedback[0]?.row.email).toBe('ann@example.test')
  })

  test('its screenshot hangs on its id', () => {
    const shot = [{ type: 'attachment', length: 3, filename: 'shot.png' }, 'x'] as [object, unknown]
    const refined = refineBody(
      envelope({ event_id: id }, [{ type: 'feedback' }, { contexts: { feedback: said } }], shot),
    )
    expect(refined.attachments[0]?.row).toMatchObject({ eventId: id, name: 'shot.png' })
  })
})

test('an event of a discarded fingerprint is filtered with its attachments, others are not', () => {
  const event = { message: 'gone for good' }
  const body = (text: string) =>
    envelope({ event_id: id }, [{ type: 'event' }, { message: text }], [{ type: 'attachment', length: 3 }, 'x'])
  const first = refineBody(body(event.message)).events[0]
  const discardedHashes = first?.row.hashes ?? []
  expect(discardedHashes.length).toBeGreaterThan(0)
  const again = refineBody(body(event.message), {}, { discardedHashes })
  expect([again.events, again.attachments]).toEqual([[], []])
  expect(
    again.outcomes.map((outcome) => `${outcome.itemType} ${outcome.category} ${outcome.outcome} ${outcome.reason}`),
  ).toEqual(['event default filtered discarded', 'attachment attachment filtered discarded'])
  expect(refineBody(body('something else'), {}, { discardedHashes }).events).toHaveLength(1)
})
