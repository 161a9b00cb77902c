import { openBrowser, openPage, signIn, hydrated } from './browser.ts'
import { api, bootstrap, discard, envelopeOf, errorEvent, ingest, ready, start, until } from './product.ts'

const shots = process.argv[2] ?? 'all'
const product = await start()
try {
  await ready(product)
  const org = 'acme'
  const project = bootstrap(product, org, 'shop-web')
  const json = { 'content-type': 'application/json' }
  const send = (path, body, method = 'POST') => api(product, project, path, { method, headers: json, body: JSON.stringify(body) })
  const minute = 60_000
  const count = async (release, minutesAgo, exited, crashed) => {
    const started = new Date(Math.floor(Date.now() / minute - minutesAgo) * minute).toISOString()
    const body = { aggregates: [{ started, exited, crashed }], attrs: { release, environment: 'production' } }
    await ingest(product, project, `{}\n{"type":"sessions"}\n${JSON.stringify(body)}\n`)
  }
  const home = `/organizations/${org}/releases/`
  const commit = (id, message, author, files, hours) => ({ id: id.repeat(40).slice(0, 40), message, repository: 'acme/shop', author_name: author, author_email: `${author.split(' ')[0].toLowerCase()}@acme.test`, timestamp: new Date(Date.now() - hours * 3_600_000).toISOString(), patch_set: files.map((path) => ({ path, type: 'M' })) })
  for (const v of ['shop@4.17.2', 'shop@4.18.0']) await send(home, { version: v, projects: ['shop-web'] })
  await send(home, { version: 'shop@4.19.0', projects: ['shop-web'], commits: [
    commit('9', 'Move totals into the summary object', 'Priya Nair', ['src/checkout/CartSummary.tsx'], 60),
    commit('4', 'Show the date of delivery in the cart', 'Noah Berg', ['src/ui/DateBadge.tsx', 'src/ui/date.ts'], 61),
    commit('8', 'Fix the price of a line without a product\n\nFixes SHOP-WEB-1', 'Ada Lovelace', ['src/price.ts'], 62),
    commit('c', 'Split the search into its own chunk', 'Jo Tan', ['src/search/index.ts'], 63),
  ] })
  await send(`${home}${encodeURIComponent('shop@4.19.0')}/deploys/`, { environment: 'production', name: 'blue', dateFinished: new Date(Date.now() - 47 * 3_600_000).toISOString() })
  for (let h = 0; h < 14 * 24; h += 6) {
    const d = h / 24 // days ago
    const s = (x) => 1 / (1 + Math.exp(-x))
    const n19 = d < 2 ? 0.65 * s((1.2 - d) * 5) : 0
    const n18 = d < 10 ? (1 - n19) * s((9 - d) * 3) * 0.9 : 0
    const n17 = Math.max(0, 1 - n19 - n18)
    for (const [v, share, rate] of [['shop@4.19.0', n19, 0.0088], ['shop@4.18.0', n18, 0.0054], ['shop@4.17.2', n17, 0.0056]]) {
      const all = Math.round(share * 4000)
      if (all > 0) await count(v, h * 60 + 5, all - Math.round(all * rate), Math.round(all * rate))
    }
  }
  const ev = (type, value, release, agoH, user, file = 'src/app.ts') => ingest(product, project, envelopeOf(errorEvent(type, value, { release, environment: 'production', timestamp: Date.now() / 1000 - agoH * 3600, user: { id: user }, exception: { values: [{ type, value, stacktrace: { frames: [{ filename: `webpack://shop/./${file}`, function: 'render', lineno: 12, colno: 3, in_app: true }] } }] } })))
  const many = async (n, f) => { for (let i = 0; i < n; i++) await f(i) }
  await many(24, (i) => ev('PriceError', 'line without a product', 'shop@4.18.0', 70 + i, `p${i}`, 'src/price.ts'))
  await many(60, (i) => ev('HydrationError', 'Text content did not match. Server: "21 Nov" Client: "20 Nov"', 'shop@4.19.0', 1 + i * 0.5, `h${i}`, 'src/ui/DateBadge.tsx'))
  await many(20, (i) => ev('ChunkLoadError', 'Loading chunk 418 failed', 'shop@4.19.0', 1 + i, `c${i}`, 'src/search/index.ts'))
  await many(3, (i) => ev('TypeError', 'totals is not iterable', 'shop@4.19.0', 1 + i, `t${i}`, 'src/checkout/Summary.tsx'))
  await many(80, (i) => ev('TypeError', "Cannot read properties of null (reading 'total')", i < 10 ? 'shop@4.18.0' : 'shop@4.19.0', i < 10 ? 72 + i : 1 + i * 0.3, `n${i}`, 'src/checkout/CartSummary.tsx'))
  await many(40, (i) => ev('RangeError', 'Invalid time value', i < 30 ? 'shop@4.18.0' : 'shop@4.19.0', i < 30 ? 72 + i : 1 + i * 0.3, `r${i}`, 'src/ui/date.ts'))
  await until('events', 30_000, async () => {
    const found = await api(product, project, `/organizations/${org}/releases/compare/?a=shop%404.18.0&b=shop%404.19.0`)
    return found.json?.b?.events === 163
  }).catch(async () => console.log(JSON.stringify((await api(product, project, `/organizations/${org}/releases/compare/?a=shop%404.18.0&b=shop%404.19.0`)).json?.b)))
  const issues = (await api(product, project, `/organizations/${org}/issues/?query=RangeError`)).json
  await send(`/organizations/${org}/issues/${issues[0].id}/`, { status: 'resolved' }, 'PUT')
  await ev('RangeError', 'Invalid time value', 'shop@4.19.0', 0, 'rr', 'src/ui/date.ts')
  await new Promise((done) => setTimeout(done, 3000))
  const browser = await openBrowser()
  const pages = { compare: '/releases/compare?a=shop%404.18.0&b=shop%404.19.0', release: '/releases/shop%404.19.0', first: '/releases/shop%404.17.2', list: '/releases', projects: '/projects', feedback: '/feedback' }
  let login
  for (const dark of [false, true]) for (const width of [1440, 390]) {
    const { page } = await openPage(browser, product.url, { width, height: width === 390 ? 844 : 900, dark, ...(login ? { login } : {}) })
    if (!login) { await signIn(page, product.url, `owner@${org}.test`); login = await page.context().storageState() }
    for (const [name, path] of Object.entries(pages)) {
      if (shots !== 'all' && !shots.split(',').includes(name)) continue
      await page.goto(`${product.url}/o/${org}${path}`)
      await page.waitForLoadState('networkidle')
      await page.screenshot({ path: `/tmp/rel-${name}-${width}${dark ? '-dark' : ''}.png`, fullPage: process.argv[3] === 'full' })
      const wide = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
      if (wide > 0) console.log('WIDE', name, width, wide)
    }
    await page.context().close()
  }
  await browser.close()
} finally {
  await discard(product)
}
