import { describe, expect, test } from 'vitest'
import type { OutgoingRequest } from '../base/outgoing.ts'
import { answerSlack, createSlackPeople, peopleIn } from './slack.ts'

/** A client that keeps what was asked and answers with a body. */
function client(body: string, status = 200) {
  const asked: OutgoingRequest[] = []
  const outgoing = {
    send: async (request: OutgoingRequest) => {
      asked.push(request)
      const headers = { 'content-type': 'application/json' }
      return { status, headers, body: Buffer.from(body), url: request.url, address: '' }
    },
  }
  return { asked, outgoing }
}

describe('the address of a Slack user', () => {
  // https://docs.slack.dev/reference/methods/users.info
  const known = '{"ok":true,"user":{"id":"W012A3CDE","profile":{"email":"Spengler@Ghostbusters.example.com"}}}'

  test('is asked once and compared in lower case', async () => {
    const { asked, outgoing } = client(known)
    const people = createSlackPeople(outgoing)
    expect(await people('xoxb-1', 'W012A3CDE')).toBe('spengler@ghostbusters.example.com')
    expect(await people('xoxb-1', 'W012A3CDE')).toBe('spengler@ghostbusters.example.com')
    expect(asked).toMatchObject([
      {
        method: 'GET',
        url: 'https://slack.com/api/users.info?user=W012A3CDE',
        headers: { authorization: 'Bearer xoxb-1' },
      },
    ])
    // Another app may see another workspace.
    await people('xoxb-2', 'W012A3CDE')
    expect(asked).toHaveLength(2)
  })

  test.each([
    ['the scope is missing', '{"ok":false,"error":"missing_scope","needed":"users:read"}'],
    ['the person hides it', '{"ok":true,"user":{"id":"W1","profile":{}}}'],
    ['the answer is no JSON', '<html>'],
  ])('is unknown when %s, and asked again', async (_says, body) => {
    const { asked, outgoing } = client(body)
    const people = createSlackPeople(outgoing)
    expect([await people('xoxb-1', 'W1'), await people('xoxb-1', 'W1')]).toEqual([undefined, undefined])
    expect(asked).toHaveLength(2)
  })

  test('cannot be moved into another call', async () => {
    const { asked, outgoing } = client(known)
    await createSlackPeople(outgoing)('xoxb-1', 'W1&token=x')
    expect(asked[0]?.url).toBe('https://slack.com/api/users.info?user=W1%26token%3Dx')
  })
})

test('addresses that an administrator wrote down are read line by line', () => {
  expect([...peopleIn('U012AB3CD Ann@x.test\n\n  W90   bob@x.test \nnonsense\nU1')]).toEqual([
    ['U012AB3CD', 'ann@x.test'],
    ['W90', 'bob@x.test'],
  ])
  expect(peopleIn().size).toBe(0)
})

describe('the answer to a click', () => {
  test('is seen by the person only, and mentions nobody', async () => {
    const { asked, outgoing } = client('ok')
    await answerSlack(outgoing, 'https://hooks.slack.com/actions/T1/2/x', 'No member of <!here> & Co has it.')
    expect(asked.map(({ method, url }) => [method, url])).toEqual([['POST', 'https://hooks.slack.com/actions/T1/2/x']])
    expect(JSON.parse(String(asked[0]?.body))).toEqual({
      response_type: 'ephemeral',
      replace_original: false,
      text: 'No member of &lt;\u200b!here&gt; &amp; Co has it.',
    })
  })

  test.each(['https://evil.test/', 'http://hooks.slack.com/', 'https://hooks.slack.com.evil.test/'])(
    'is not sent to %s',
    async (url) => {
      const { asked, outgoing } = client('ok')
      await answerSlack(outgoing, url, 'hello')
      expect(asked).toEqual([])
    },
  )
})
