import { expect, test } from 'vitest'
import { eventsPasswordOf, eventsServerOf, isEventsServer } from './events-server.ts'

test.each([
  ['http://host:8123/errors', { url: 'http://host:8123', host: 'host:8123', user: 'default', database: 'errors' }, ''],
  ['http://host', { url: 'http://host', host: 'host', user: 'default', database: 'mishap' }, ''],
  [
    'https://ada:s%40cret%2F@ch.example:8443/mishap/',
    { url: 'https://ch.example:8443', host: 'ch.example:8443', user: 'ada', database: 'mishap' },
    's@cret/',
  ],
  ['http://u:p@[::1]:8123/m', { url: 'http://[::1]:8123', host: '[::1]:8123', user: 'u', database: 'm' }, 'p'],
])('%s is a server, and its password is kept apart', (text, server, password) => {
  expect(eventsServerOf(text)).toEqual(server)
  expect(eventsPasswordOf(text)).toBe(password)
})

test.each([
  '',
  'clickhouse://host:9000/mishap',
  'http://',
  'http://host:8123/a/b',
  'http://host:8123/a-b',
  'http://host:8123/mishap?secure=1',
  'http://host:8123/mishap#x',
  'http://u%zz@host/mishap',
  "http://u'x@host/mishap",
  'host:8123',
])('"%s" is no server', (text) => {
  expect(isEventsServer(text)).toBe(false)
  expect(eventsServerOf(text)).toBeUndefined()
})
