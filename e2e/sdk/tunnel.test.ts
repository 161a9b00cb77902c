import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { tunnelOfDsn } from '../../scripts/shop.ts'
import type { Tunnel } from '../../src/wire/tunnel.ts'
import { noChromium, openBrowser } from '../browser.ts'
import { api, bootstrap, envelopeOf, errorEvent, type Project, root, until } from '../product.ts'
import { ask } from '../proxy/client.ts'
import { noNginx, reserve, startNginx } from '../proxy/nginx.ts'

// The `tunnel` option of the official SDK on a page whose policy only allows its own origin, and the nginx
// configuration of docs/tunnel.md. next.test.ts covers Next.js.

const product = inject('product')

/** The tunnel of a project's key, with an IP address instead of localhost. */
const tunnelTo = (project: Project): Tunnel => tunnelOfDsn(project.dsn.replace('localhost', '127.0.0.1'))

const titles = (project: Project, count: number) =>
  until(`${count} issues of ${project.org}`, 15_000, async () => {
    const found = (await api(product, project, `/organizations/${project.org}/issues/?query=`)).json as {
      title: string
    }[]
    return found.length >= count && found.map((issue) => issue.title).sort()
  })

const script = ({ dsn, path }: Tunnel) => `
import * as Sentry from '@sentry/browser'
Sentry.init({ dsn: '${dsn}', tunnel: '${path}', release: 'shop@1.0.0' })
document.querySelector('#go').addEventListener('click', () => { throw new RangeError('quantity out of range') })
window.done = () => Sentry.flush(5000)
`

/** The server of the page: an Express application with the unchanged handler. */
const server = `
import express from 'express'
import { tunnel } from './tunnel.ts'
export const app = express()
app.use(tunnel)
app.get('/', (_req, res) => {
  res.set('content-security-policy', "default-src 'self'").send('<button id="go">Go</button><script src="/page.js"></script>')
})
app.use(express.static(import.meta.dirname))
`

describe.skipIf(noChromium)(
  `a page that may send to its own origin alone${noChromium ? ` (skipped: ${noChromium})` : ''}`,
  () => {
    const state = {} as { browser: Browser }
    beforeAll(async () => {
      state.browser = await openBrowser()
    })
    afterAll(() => state.browser?.close())

    test('@sentry/browser through Express: the error arrives, and no request leaves the origin', async () => {
      const project = bootstrap(product, 'tunnel', 'shop')
      const tunnel = tunnelTo(project)
      mkdirSync(join(root, 'e2e/out'), { recursive: true })
      const folder = mkdtempSync(join(root, 'e2e/out/tunnel-page-'))
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
      writeFileSync(join(folder, 'tunnel.ts'), tunnel.servers.express.code)
      writeFileSync(join(folder, 'app.ts'), server)
      const stdin = { contents: script(tunnel), resolveDir: root }
      await build({ stdin, bundle: true, outfile: join(folder, 'page.js'), format: 'iife', target: 'es2020' })
      const { app } = (await import(join(folder, 'app.ts'))) as { app: RequestListener }
      const http = createServer(app)
      onTestFinished(() => void http.close())
      await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
      const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`

      const page = await state.browser.newPage()
      const requested: string[] = []
      page.on('request', (request) => void requested.push(request.url()))
      await page.goto(url)
      await page.click('#go')
      await page.evaluate('window.done()')
      expect(await titles(project, 1)).toEqual(['RangeError: quantity out of range'])
      await page.close()
      expect(requested).toContain(`${url}${tunnel.path}`)
      expect(requested.filter((requestUrl) => !requestUrl.startsWith(`${url}/`))).toEqual([])
    })
  },
)

describe.skipIf(noNginx)(`nginx of docs/tunnel.md${noNginx ? ` (skipped: ${noNginx})` : ''}`, () => {
  test('passes envelopes of its DSN and nothing else', async () => {
    const project = bootstrap(product, 'tunnelnginx', 'shop')
    const other = bootstrap(product, 'tunnelother', 'shop')
    const tunnel = tunnelTo(project)
    const nginx = await startNginx(await reserve(), `${tunnel.servers.nginx.code}\n`)
    onTestFinished(() => nginx.stop())
    const url = `${nginx.url}${tunnel.path}`
    const send = (header: object, title: string, method = 'POST') => {
      const [, ...items] = envelopeOf(errorEvent(title, 'passed on')).toString().split('\n')
      const body = method === 'POST' ? [JSON.stringify(header), ...items].join('\n') : ''
      return ask({
        url,
        certificate: nginx.certificate,
        method,
        body,
        headers: { cookie: 'a=b', authorization: 'Bearer x' },
      })
    }
    expect((await send({ dsn: tunnel.dsn }, 'PassedError')).status).toBe(200)
    expect((await send({ dsn: tunnelTo(other).dsn }, 'ForeignError')).status).toBeGreaterThanOrEqual(400)
    expect((await send({}, '', 'GET')).status).toBe(403)
    expect(await titles(project, 1)).toEqual(['PassedError: passed on'])
    expect((await api(product, other, `/organizations/${other.org}/issues/?query=`)).json).toEqual([])
  })
})
