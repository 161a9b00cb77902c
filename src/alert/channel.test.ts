import { describe, expect, test } from 'vitest'
import { MishapError } from '../base/errors.ts'
import type { ChannelKind } from '../domain/alerts/channel-kinds.ts'
import { newSigningSecret } from './channel.ts'
import { transports } from './send/transports.ts'

const targetOf = (kind: ChannelKind, target: string) => transports[kind].check({ target }).target
const shownTarget = (kind: ChannelKind, target: string) => transports[kind].shown({ target })

const fieldsOf = (work: () => unknown): string[] => {
  try {
    work()
  } catch (error) {
    if (error instanceof MishapError) return Object.keys(error.fields ?? {}).sort()
    throw error
  }
  return []
}

describe('targets', () => {
  test.each<[ChannelKind, string, string]>([
    ['email', 'a@x.test', 'a@x.test'],
    ['email', ' a@x.test; b@x.test,\na@x.test ', 'a@x.test,b@x.test'],
    ['email', 'members', 'members'],
    ['slack', ' https://hooks.test/a/b ', 'https://hooks.test/a/b'],
    ['webhook', 'http://10.0.0.1:8080/x?y=1', 'http://10.0.0.1:8080/x?y=1'],
  ])('%s %j', (kind, text, expected) => expect(targetOf(kind, text)).toBe(expected))
  test.each<[ChannelKind, string]>([
    ['email', ''],
    ['email', 'nobody'],
    ['email', 'a@x.test members'],
    ['email', 'a@b@c'],
    ['email', 'a@x.test\r\nBcc:b'],
    ['email', Array.from({ length: 51 }, (_, at) => `a${at}@x.test`).join(',')],
    ['slack', 'hooks.test/a'],
    ['slack', 'ftp://hooks.test/a'],
    ['webhook', 'https://me:pw@hooks.test/'],
    ['webhook', `https://hooks.test/${'x'.repeat(2000)}`],
  ])('%s refuses %.40j', (kind, text) => expect(fieldsOf(() => targetOf(kind, text))).toEqual(['target']))
  test('a URL is shown without what is secret in it', () => {
    expect(shownTarget('slack', 'https://hooks.test/T0/B0/secret?x=1')).toBe('https://hooks.test/…')
    expect(shownTarget('email', 'a@x.test,b@x.test')).toBe('a@x.test, b@x.test')
  })
  test('signing secrets differ', () => expect(newSigningSecret()).not.toBe(newSigningSecret()))
})
