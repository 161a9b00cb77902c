import { describe, expect, test } from 'vitest'
import { appForFile, type TestApp } from './app.cases.ts'
import { seedEvents } from './seed.cases.ts'

const { made } = appForFile()
const get = (path: string, options?: Parameters<TestApp['call']>[2]) => made().call('GET', path, options)
const O = '/organizations/acme'
const P = '/projects/acme/web'

describe('files of events', () => {
  test('an image is shown by its bytes, whatever its sender says', async () => {
    const gif = 'GIF89a\x02\x00\x03\x00'
    const event = { ...seedEvents[0], event_id: 'fade'.padStart(32, '0') }
    const [id = ''] = await (await made()).store(
      [event],
      [
        { name: 'shot.txt', type: 'application/octet-stream', bytes: gif },
        { name: 'evil.png', type: 'image/png', bytes: '<svg onload="alert(1)" xmlns="http://www.w3.org/2000/svg"/>' },
      ],
    )
    const list = (await get(`${P}/events/${id}/attachments/`)).json as { id: string; name: string }[]
    const of = (name: string) => list.find((item) => item.name === name)?.id
    const shown = await get(`${P}/events/${id}/attachments/${of('shot.txt')}/?download=image`)
    expect([shown.status, Object.fromEntries(shown.headers)]).toMatchObject([
      200,
      {
        'content-type': 'image/gif',
        'content-disposition': expect.stringMatching(/^inline/),
        'x-content-type-options': 'nosniff',
        'content-security-policy': "sandbox; default-src 'none'",
        'cross-origin-resource-policy': 'same-origin',
      },
    ])
    const path = `${P}/events/${id}/attachments/${of('evil.png')}/`
    expect((await get(`${path}?download=image`)).status).toBe(404)
    expect((await get(`${path}?download=view`)).headers.get('content-type')).toBe('application/octet-stream')
  })

  test('the events of an issue as CSV: all of a search, no cell a formula', async () => {
    const events = Array.from({ length: 230 }, (_, at) => ({
      ...seedEvents[0],
      event_id: (3_000_000 + at).toString(16).padStart(32, '0'),
      fingerprint: ['exported'],
      tags: { plan: at % 2 ? '=HYPERLINK("x")' : 'free', note: 'a,b' },
    }))
    await (await made()).store(events)
    const [issue] = (await get(`${O}/issues/?query=note:"a,b"&statsPeriod=90d`)).json as { id: string }[]
    const csv = `${O}/issues/${issue?.id}/events/csv/?column=plan&column=note`
    const all = await get(csv)
    const lines = all.text.split('\r\n')
    expect([all.status, all.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
    expect(all.headers.get('content-disposition')).toMatch(/^attachment; filename="[^"]*-events\.csv"/)
    expect(lines[0]).toBe('event_id,timestamp,title,message,plan,note')
    // More than a page, and the line after the last break.
    expect(lines).toHaveLength(232)
    expect(lines.filter((line) => line.endsWith(`,"'=HYPERLINK(""x"")","a,b"`))).toHaveLength(115)
    expect(new Set(lines.slice(1, -1).map((line) => line.slice(0, 32))).size).toBe(230)
    const free = await get(`${csv}&query=plan:free`)
    expect(free.text.split('\r\n')).toHaveLength(117)
    expect((await get(`${csv}&query=is:nonsense`)).status).toBe(400)
    const header = (await get(`${O}/issues/${issue?.id}/events/csv/`)).text.split('\r\n', 1)[0] ?? ''
    expect(header.split(',')).toEqual(expect.arrayContaining(['event_id', 'plan', 'note', 'level']))
  })
})
