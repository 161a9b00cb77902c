import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { type Build, buildOf, failedEvent } from '../mapped.ts'
import {
  api,
  bootstrap,
  discard,
  envelopeOf,
  ingest,
  type Product,
  type Project,
  ready,
  start,
  until,
} from '../product.ts'

// If a project enables it, Mishap fetches scripts that were not uploaded from their public URLs.

const state: { product?: Product; close?: () => void } = {}
afterAll(async () => {
  state.close?.()
  if (state.product) await discard(state.product)
})

/** Serves a build's script and map. `asked` lists the requested paths with their tokens. */
async function serve(build: Build): Promise<{ port: number; asked: string[] }> {
  const asked: string[] = []
  const server = createServer((req, res) => {
    asked.push(`${req.url} ${req.headers['x-sentry-token'] ?? '-'}`)
    if (req.url === '/assets/app.js') res.end(`${build.script}\n//# sourceMappingURL=app.js.map\n`)
    else if (req.url === '/assets/app.js.map') res.end(build.map)
    else res.writeHead(404).end('<html>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  state.close = () => server.close()
  return { port: (server.address() as AddressInfo).port, asked }
}

type Shown = {
  dateMapped: string | null
  entries: { type: string; data: { values: { stacktrace: { frames: { function: string; data: object }[] } }[] } }[]
}

async function eventOf(product: Product, project: Project, id: string): Promise<Shown | undefined> {
  const { status, json } = await api(product, project, `/projects/public/web/events/${id}/`)
  return status === 200 ? (json as Shown) : undefined
}

const change = (product: Product, project: Project, body: object) =>
  api(product, project, '/projects/public/web/', {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

test('a public script and its map are fetched once, with the token where origins are named', async () => {
  const product = await start({ env: { MISHAP_OUTGOING_NETWORKS: '127.0.0.1/32' } })
  state.product = product
  const project = bootstrap(product, 'public', 'web')
  await ready(product)
  const built = await buildOf('app')
  const { port, asked } = await serve(built)
  const servedBuild = { ...built, url: `http://127.0.0.1:${port}/assets/app.js` }
  const send = async () => {
    const event = failedEvent(servedBuild, 'cart', { debug_meta: undefined })
    expect((await ingest(product, project, envelopeOf(event))).status).toBe(200)
    await until('the event', 20_000, async () => eventOf(product, project, event.event_id))
    return event.event_id
  }
  const off = await send()
  const settings = (await api(product, project, '/projects/public/web/')).json
  expect(settings).toMatchObject({ scrapeJavaScript: false, verifySSL: true, securityToken: '' })
  const changed = await change(product, project, {
    scrapeJavaScript: true,
    securityToken: 's3cret-token',
    allowedDomains: ['127.0.0.1'],
  })
  expect([changed.status, changed.json]).toMatchObject([200, { scrapeJavaScript: true, securityToken: '********' }])
  expect(asked).toEqual([])
  const on = await send()
  for (const id of [on, off]) {
    const shown = await until('the event to be mapped', 40_000, async () => {
      const found = await eventOf(product, project, id)
      return found?.dateMapped ? found : undefined
    })
    const frames = shown.entries.find((entry) => entry.type === 'exception')?.data.values[0]?.stacktrace.frames
    expect(frames?.at(-1)).toMatchObject({
      function: 'Cart.totalOf',
      data: { symbolicated: true, resolvedWith: 'scraping' },
    })
  }
  expect(asked).toEqual(['/assets/app.js s3cret-token', '/assets/app.js.map s3cret-token'])
  // Later events use the stored files without another request.
  const third = await eventOf(product, project, await send())
  expect(third?.dateMapped).toBeNull()
  expect(asked).toHaveLength(2)
})
