import type { Problem } from './recording.ts'

/** A file of a page: it comes after `ms`, with `bytes` of filling, in `chunks` that are spread over the time. */
export type PageFile = { ms: number; bytes?: number; isCached?: boolean; text?: string; chunks?: number }

/** A page. `other` in a text is the origin of another host. */
export type Page = {
  expected: Problem[]
  head?: string
  body?: string
  files?: Record<string, PageFile>
  /** How long the document itself takes. */
  documentMs?: number
  /** The first visits, which fill the cache, are not recorded. */
  visits?: number
  /** The SDK runs before the files of the page come. */
  isSdkFirst?: boolean
  /** Only this many clients record it. */
  variants?: number
}

const style = (path: string, more = '') => `<link rel="stylesheet" href="${path}"${more}>`
const script = (path: string, more = '') => `<script src="${path}"${more}></script>`
const css = '/assets/main.css'
const js = '/assets/vendor.js'

const blocking: Record<string, Omit<Page, 'expected'>> = {
  'slow-style': { head: style(css), files: { [css]: { ms: 2300 } } },
  'slow-script-in-head': { head: script(js), files: { [js]: { ms: 2500 } } },
  'style-with-hash': {
    head: style('/assets/app-4f8a9c1d2e.css'),
    files: { '/assets/app-4f8a9c1d2e.css': { ms: 2200, bytes: 40_000 } },
  },
  'large-style': {
    head: style(css),
    files: { [css]: { ms: 2600, bytes: 2_500_000, chunks: 12 } },
  },
  'large-script': {
    head: script(js),
    files: { [js]: { ms: 2800, bytes: 3_000_000, chunks: 12 } },
  },
  'style-of-another-host': { head: style('other/fonts.css'), files: { '/fonts.css': { ms: 2400 } } },
  'two-slow-styles': {
    head: style(css) + style('/assets/theme.css'),
    files: { [css]: { ms: 2100 }, '/assets/theme.css': { ms: 2700 } },
  },
  'scripts-in-a-row': {
    head: script(js) + script('/assets/app.js'),
    files: { [js]: { ms: 2300 }, '/assets/app.js': { ms: 2600 } },
  },
  'slow-style-after-the-sdk': { head: style(css), files: { [css]: { ms: 2300 } }, isSdkFirst: true },
  'slow-style-and-deferred-script': {
    head: style(css) + script(js, ' defer'),
    files: { [css]: { ms: 2500 }, [js]: { ms: 300 } },
  },
}

const busy = (ms: number) => `<script>for(const end=Date.now()+${ms};Date.now()<end;);</script>`

const fine: Record<string, Omit<Page, 'expected'>> = {
  'async-script': { head: script(js, ' async'), files: { [js]: { ms: 2500, bytes: 2_000_000 } } },
  'deferred-script': { head: script(js, ' defer'), files: { [js]: { ms: 2500, bytes: 2_000_000 } } },
  'module-script': { head: script(js, ' type="module"'), files: { [js]: { ms: 2500 } } },
  'slow-document-async-script': {
    head: script(js, ' async') + style(css),
    files: { [js]: { ms: 1800, bytes: 2_000_000 }, [css]: { ms: 30 } },
    documentMs: 2300,
  },
  'slow-document': { head: style(css), files: { [css]: { ms: 60 } }, documentMs: 2500 },
  'busy-script': { head: style(css) + busy(2300), files: { [css]: { ms: 40 } } },
  'large-image': { body: '<img src="/hero.png">', files: { '/hero.png': { ms: 2600, bytes: 4_000_000 } } },
  'script-at-the-end': { body: `<p>text</p>${script(js)}`, files: { [js]: { ms: 2500 } } },
  'cached-style': {
    head: style(css),
    files: { [css]: { ms: 2400, isCached: true } },
    documentMs: 2300,
    visits: 2,
  },
  'print-style': { head: style(css, ' media="print"'), files: { [css]: { ms: 2600 } } },
  'preloaded-font': {
    head: '<link rel="preload" as="font" href="/font.woff2" crossorigin>',
    files: { '/font.woff2': { ms: 2600 } },
  },
  'added-by-script': {
    head: `<script>{const s=document.createElement('script');s.src='${js}';document.head.append(s)}</script>`,
    files: { [js]: { ms: 2500 } },
  },
  'frame-of-another-page': { body: '<iframe src="other/frame.html"></iframe>', files: { '/frame.html': { ms: 2500 } } },
  'quick-style': { head: style(css), files: { [css]: { ms: 250 } } },
  'quick-style-of-a-slow-document': { head: style(css), files: { [css]: { ms: 150 } }, documentMs: 2200 },
  'busy-and-preloaded': {
    head: `<link rel="preload" as="script" href="${js}">${busy(2200)}`,
    files: { [js]: { ms: 900, bytes: 1_500_000 } },
  },
  'async-and-busy': {
    head: script(js, ' async') + busy(2400),
    files: { [js]: { ms: 1200, bytes: 1_200_000 } },
  },
  'late-style': {
    body: `<p>text</p><script>setTimeout(()=>{const l=document.createElement('link');l.rel='stylesheet';l.href='${css}';document.head.append(l)},100)</script>`,
    files: { [css]: { ms: 2300 } },
  },
}

/** A page that sends requests, in the order of a function. */
const requests = (text: string, files: Record<string, PageFile>): Omit<Page, 'expected'> => ({
  body: `<p>text</p><script>const get=(path)=>fetch(path).then((answer)=>answer.text());(async()=>{${text}})()</script>`,
  files,
})
const slow = (...paths: string[]) => Object.fromEntries(paths.map((path) => [path, { ms: 650, text: '{}' }]))

const inTurn: Record<string, Omit<Page, 'expected'>> = {
  'page-requests-in-turn': requests(
    "await get('/api/profile');await get('/api/cart');await get('/api/offers')",
    slow('/api/profile', '/api/cart', '/api/offers'),
  ),
  'page-requests-by-id': requests(
    "for (const id of [101, 102, 103, 104]) await get('/api/items/' + id)",
    slow('/api/items/101', '/api/items/102', '/api/items/103', '/api/items/104'),
  ),
}

const notInTurn: Record<string, Omit<Page, 'expected'>> = {
  'page-requests-at-once': requests(
    "await Promise.all([get('/api/profile'),get('/api/cart'),get('/api/offers')])",
    slow('/api/profile', '/api/cart', '/api/offers'),
  ),
  'page-polls': requests("for (let at = 0; at < 4; at++) await get('/api/state')", slow('/api/state')),
  'page-two-requests': requests("await get('/api/profile');await get('/api/cart')", slow('/api/profile', '/api/cart')),
}

const expecting = (pages: Record<string, Omit<Page, 'expected'>>, expected: Problem[]): [string, Page][] =>
  Object.entries(pages).map(([name, page]) => [name, { ...page, expected }])

/** All pages by name. */
export const pages: ReadonlyMap<string, Page> = new Map([
  ...expecting(blocking, ['renderBlocking']),
  ...expecting(inTurn, ['consecutiveHttp']),
  ...expecting({ ...fine, ...notInTurn }, []),
])
