import { describe, expect, test } from 'vitest'
import type { ReleaseDiagnosis } from '../domain/doctor.ts'
import { findingOf } from '../domain/doctor-findings.ts'
import { runDoctor } from './doctor.ts'

const place = { url: 'https://m.test', org: 'acme', project: 'web', release: 'shop@1', dist: '' }
const env = {
  SENTRY_URL: 'https://m.test/base/',
  SENTRY_ORG: 'acme',
  SENTRY_PROJECT: 'w b',
  SENTRY_AUTH_TOKEN: 'secret',
  SENTRY_RELEASE: 'from-env',
}
const good: ReleaseDiagnosis = {
  release: 'shop@1',
  dist: null,
  verdict: 'ok',
  findings: [],
  events: { looked: 2, frames: 3, mapped: 3 },
  bundles: [
    {
      bundleId: '21f75f18-0877-561e-8912-ee3f76ac0a69',
      verdict: 'ok',
      dateCreated: '',
      used: true,
      associations: [],
      scripts: 1,
      read: 1,
      findings: [],
      files: [],
    },
  ],
}
const wrong: ReleaseDiagnosis = {
  ...good,
  verdict: 'wrong',
  events: null,
  findings: [
    { ...findingOf('map_broken', { map: '~/a\u001b[2J.js.map' }, place), count: 2 },
    { ...findingOf('no_line', {}, place), count: 1 },
  ],
}

/** Answers with the given response and records the requests. */
function server(status: number, body: unknown) {
  const asked: { url: string; authorization: string | null }[] = []
  const call = (async (url: string | URL | Request, init?: RequestInit) => {
    asked.push({ url: String(url), authorization: new Headers(init?.headers).get('authorization') })
    return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status })
  }) as typeof fetch
  return { asked, call }
}

describe('mishap doctor', () => {
  test('a good release: 0, a line for each bundle and one for its events', async () => {
    const { asked, call } = server(200, good)
    const { code, lines, answer } = await runDoctor({ release: 'shop@1', dist: '' }, env, call)
    expect([code, answer]).toEqual([0, good])
    expect(lines).toEqual([
      'ok    bundle 21f75f18: 1 script, 1 map read',
      'events: 3 of 3 frames mapped, 2 checked',
      'Release shop@1 is good.',
    ])
    expect(asked).toEqual([
      {
        url: 'https://m.test/base/api/0/projects/acme/w%20b/releases/shop%401/source-map-debug/?dist=',
        authorization: 'Bearer secret',
      },
    ])
  })

  test('a wrong one: 1, each sentence with what mends it, the command only where something is wrong, no controls', async () => {
    const { code, lines } = await runDoctor({ release: 'shop@1' }, env, server(200, wrong).call)
    expect(code).toBe(1)
    expect(lines.join('\n')).toMatch(
      /^WRONG The map ~\/a�\[2J\.js\.map is not a valid source map\. \(2 times\) \[map_broken\]$/m,
    )
    expect(lines.filter((line) => line.includes('npx @sentry/cli'))).toHaveLength(1)
    expect(lines.join('\n')).toMatch(/^note {2}The SDK sent no line/m)
    expect(lines.join('\n')).not.toContain('\u001b')
    expect(lines).toContain('events: the token may not read them (it needs event:read)')
  })

  test('the command line wins over the environment, which may name the release, too', async () => {
    const { asked, call } = server(200, good)
    await runDoctor({}, env, call)
    await runDoctor({ org: 'b', project: 'c', url: 'http://z.test', token: 't', release: 'r/1' }, env, call)
    expect(asked.map((entry) => entry.url)).toEqual([
      'https://m.test/base/api/0/projects/acme/w%20b/releases/from-env/source-map-debug/',
      'http://z.test/api/0/projects/b/c/releases/r%2F1/source-map-debug/',
    ])
    expect(asked[1]?.authorization).toBe('Bearer t')
  })

  test.each<[string, number, unknown, RegExp]>([
    ['a token that is not known', 401, { detail: 'x' }, /does not know the token/],
    ['a token without the scope', 403, { detail: 'x' }, /project:releases/],
    ['no such project', 404, { detail: 'x' }, /no project acme\/w b/],
    ['away', 503, { detail: 'The events store is away.' }, /503: The events store is away/],
    ['a proxy’s page', 502, '<html>', /answered 502\./],
    ['something else', 200, '<html>', /does not answer like Mishap/],
    ['other JSON', 200, [1], /does not answer like Mishap/],
  ])('%s: 2', async (_name, status, body, sentence) => {
    const { code, lines, answer } = await runDoctor({ release: 'r' }, env, server(status, body).call)
    expect(code).toBe(2)
    expect(lines.join()).toMatch(sentence)
    expect(answer).toEqual({ error: expect.stringMatching(sentence) })
    expect(lines.join()).not.toContain('secret')
  })

  test.each<[string, object, object, RegExp]>([
    ['nobody there', {}, { SENTRY_URL: 'http://127.0.0.1:9' }, /did not answer/],
    ['no address', {}, { SENTRY_URL: 'mishap' }, /did not answer/],
    ['another scheme', {}, { SENTRY_URL: 'file:///etc' }, /not an http or https URL/],
    ['no token', {}, { SENTRY_AUTH_TOKEN: '' }, /--token or SENTRY_AUTH_TOKEN is needed/],
    ['no release', {}, { SENTRY_RELEASE: undefined }, /--release or SENTRY_RELEASE is needed/],
  ])('%s: 2', async (_name, words, more, sentence) => {
    const { code, lines } = await runDoctor(words, { ...env, ...more })
    expect([code, lines.join()]).toEqual([2, expect.stringMatching(sentence)])
  })
})
