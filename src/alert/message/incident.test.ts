import { describe, expect, test } from 'vitest'
import { ruleMessage } from './incident.ts'

type Parts = Parameters<typeof ruleMessage>[0]
type Member = Parts['members'][number]

const member = (more: Partial<Member>): Member => ({
  ruleId: 4,
  value: null,
  threshold: null,
  sentence: '',
  group: null,
  endedMs: null,
  ...more,
})
const inGroup = (name: string, more: Partial<Member> = {}) => member({ group: { key: name, name }, ...more })
const many = (count: number) => Array.from({ length: count }, (_, at) => inGroup(`/${at}`, { value: at }))

function sentenceOf(members: Member[], open = members.filter(({ endedMs }) => endedMs === null).length): string {
  const delivery = {
    id: 1,
    kind: 'incident',
    change: 'start',
    level: 'critical',
    ruleId: 4,
    incidentId: 2,
    more: 0,
  } as const
  const organization = { id: 1, slug: 'acme', name: 'Acme' } as Parts['organization']
  const incident = { title: 'Slow: /a and 1 more', startedMs: 0, endedMs: null }
  const texts = { url: 'https://m.test', ruleName: 'Slow', windowMinutes: 5, acknowledge: undefined }
  return ruleMessage({ ...texts, delivery, organization, alerts: [], incident, members, open }).sentence
}

describe('the groups of a rule in its message', () => {
  test.each<[string, Member[], number | undefined, string]>([
    ['no group: the sentence of the rule', [member({ sentence: 'Above 3.' })], undefined, 'Rule: Slow. Above 3.'],
    ['a single group', [inGroup('/a', { sentence: '/a is above 3.' })], undefined, 'Rule: Slow. /a is above 3.'],
    [
      'two, with their values in four digits',
      [inGroup('/a', { value: 812.3456 }), inGroup('/b')],
      undefined,
      'Rule: Slow. 2 groups fire: /a (812.3), /b.',
    ],
    [
      'members of another rule and groups that ended do not count',
      [
        inGroup('/a'),
        inGroup('/b'),
        inGroup('/c', { ruleId: 5 }),
        member({ ruleId: 6 }),
        inGroup('/d', { endedMs: 1 }),
      ],
      undefined,
      'Rule: Slow. 2 groups fire: /a, /b.',
    ],
    [
      'more than ten',
      many(12),
      undefined,
      `Rule: Slow. 12 groups fire: ${Array.from({ length: 10 }, (_, at) => `/${at} (${at})`).join(', ')} and 2 more.`,
    ],
    ['more than were read', [inGroup('/a'), inGroup('/b')], 7, 'Rule: Slow. 7 groups fire: /a, /b and 5 more.'],
    [
      'a hostile name is one line without marks of direction',
      [inGroup('/a\r\nBcc: x@y.test\u202e'), inGroup('/b')],
      undefined,
      'Rule: Slow. 2 groups fire: /a Bcc: x@y.test, /b.',
    ],
  ])('%s', (_says, members, open, expected) => {
    expect(sentenceOf(members, open)).toBe(expected)
  })
})
