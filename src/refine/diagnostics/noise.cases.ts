import type { NoiseKind } from '../../domain/diagnostics.ts'

/**
 * Browser events with the label that a developer would give them: a kind of noise, or `own` for the team's own errors,
 * mostly near misses. Rows marked `hard` are noise that an event does not prove; the verdict can miss them.
 */
export type NoiseCase = {
  label: NoiseKind | 'own'
  name: string
  hard?: true
  /** Defaults to an error of own code on https://shop.example/cart, in Chrome. */
  type?: string
  value?: string
  message?: string
  /** Addresses of frames, oldest call first. Defaults to one own frame; an empty list means no stack. */
  frames?: string[]
  url?: string
  agent?: string
  /** Selectors of elements that were clicked before. */
  clicked?: string
  platform?: string
  contexts?: { [name: string]: { [key: string]: string } }
}

const app = 'https://shop.example/_next/static/chunks/app-0f2a.js'
const cdn = 'https://cdn.shop-assets.example/main.4f2a.js'
const gtm = 'https://www.googletagmanager.com/gtm.js?id=GTM-ABC'
const chromeExtension = 'chrome-extension://abcdefghijklmnopabcdefghijklmnop/content.js'
const iphone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)'
const bot = (name: string) => `Mozilla/5.0 (compatible; ${name}; +https://bot.example/)`

const rows = <L extends NoiseCase['label']>(label: L, list: Omit<NoiseCase, 'label'>[]): NoiseCase[] =>
  list.map((entry) => ({ label, ...entry }))

const bots = rows('bot', [
  ...[
    'Googlebot/2.1',
    'bingbot/2.0',
    'YandexBot/3.0',
    'Applebot/0.1',
    'AhrefsBot/7.0',
    'SemrushBot/7~bl',
    'PetalBot',
    'GPTBot/1.2',
    'ClaudeBot/1.0',
    'Baiduspider/2.0',
    'MJ12bot/v1.4',
    'DotBot/1.2',
    'SeznamBot/4.0',
  ].map((name) => ({ name, agent: bot(name), value: "Cannot read properties of undefined (reading 'price')" })),
  { name: 'a preview', agent: 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)' },
  { name: 'a monitor', agent: bot('UptimeRobot/2.0'), value: 'Failed to fetch' },
  {
    name: 'Lighthouse',
    agent: 'Mozilla/5.0 (Linux; Android 11) AppleWebKit/537.36 Chrome/120.0 Mobile Safari/537.36 Chrome-Lighthouse',
  },
  {
    name: 'a scanner of links in mails',
    type: 'UnhandledRejection',
    value:
      'Non-Error promise rejection captured with value: Object Not Found Matching Id:3, MethodName:update, ParamCount:4',
    frames: [],
  },
  {
    name: 'a headless browser',
    hard: true,
    agent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 HeadlessChrome/120.0 Safari/537.36',
  },
  { name: 'a crawler that does not say so', hard: true, agent: 'python-requests/2.31' },
])

const local = rows('localhost', [
  { name: 'a port', url: 'http://localhost:3000/cart' },
  { name: 'a name below', url: 'http://shop.localhost/cart' },
  { name: 'an address', url: 'http://127.0.0.1:8080/' },
  { name: 'another of the network', url: 'http://127.3.2.1/' },
  { name: 'version 6', url: 'http://[::1]:3000/' },
  { name: 'every address', url: 'http://0.0.0.0:5173/' },
  { name: 'a machine at home', hard: true, url: 'http://192.168.1.20:3000/' },
])

const extensions = rows('extension', [
  { name: 'Chrome', frames: [app, chromeExtension] },
  { name: 'Firefox', frames: ['moz-extension://3f2504e0-4f89-11d3-9a0c-0305e82c3301/inject.js'] },
  { name: 'Safari', frames: ['safari-web-extension://3F2504E0/content.js'] },
  { name: 'an older Safari', frames: ['safari-extension://com.example/x/y.js'] },
  { name: 'Safari, hidden', frames: ['webkit-masked-url://hidden/'] },
  { name: 'an antivirus', frames: ['https://gc.kis.v2.scr.kaspersky-labs.com/FD126C42/main.js'] },
  { name: 'an updated one', value: 'Extension context invalidated.', frames: [] },
  { name: 'a message of one', value: 'Could not establish connection. Receiving end does not exist.', frames: [] },
  { name: 'a tab that is gone', value: 'Invalid call to runtime.sendMessage(). Tab not found.', frames: [] },
  {
    name: 'two wallets',
    type: 'TypeError',
    value: 'Cannot redefine property: ethereum',
    frames: ['https://shop.example/cart'],
  },
  {
    name: 'a wallet on iOS',
    type: 'TypeError',
    value: "undefined is not an object (evaluating 'window.ethereum.selectedAddress = undefined')",
    frames: [],
  },
  { name: 'a toolbar', value: 'conduitPage is not defined', frames: [] },
  { name: 'another one', value: "Can't find variable: ZiteReader", frames: [] },
  { name: 'an advertiser’s', value: 'atomicFindClose is not defined', frames: [] },
  { name: 'a highlighter', value: 'MyApp_RemoveAllHighlights is not defined', frames: [] },
  {
    name: 'a hydration that it spoiled',
    value:
      'Hydration failed because the server rendered HTML didn\'t match the client.\n\nhttps://react.dev/link/hydration-mismatch\n\n  <Layout>\n    <body\n-     cz-shortcut-listen="true"\n    >',
  },
  {
    name: 'a script that it put into the page',
    hard: true,
    value: "Cannot read properties of null (reading 'querySelector')",
    frames: ['https://shop.example/cart'],
  },
])

const translators = rows('translator', [
  {
    name: 'Google’s script',
    frames: ['https://translate.googleapis.com/_/translate_http/_/js/k=translate_http.tr.en/main.js'],
  },
  {
    name: 'Google’s page',
    frames: [app],
    type: 'NotFoundError',
    value: "Failed to execute 'removeChild' on 'Node': The node to be removed is not a child of this node.",
    url: 'https://shop-example.translate.goog/cart',
  },
  {
    name: 'nodes in the crumbs',
    type: 'NotFoundError',
    value:
      "Failed to execute 'insertBefore' on 'Node': The node before which the new node is to be inserted is not a child of this node.",
    clicked: 'button.buy > font > font',
  },
  {
    name: 'in Safari',
    type: 'NotFoundError',
    value: 'The object can not be found here.',
    clicked: 'div > font > font',
  },
  {
    name: 'a hydration',
    value:
      'Hydration failed because the server rendered HTML didn\'t match the client.\n\nhttps://react.dev/link/hydration-mismatch\n\n  <Nav>\n    <a>\n+     Home\n-     <font style={{vertical-align:"inherit"}}>',
  },
  {
    name: 'no sign of it',
    hard: true,
    type: 'NotFoundError',
    value: "Failed to execute 'removeChild' on 'Node': The node to be removed is not a child of this node.",
  },
])

const webViews = rows('web-view', [
  {
    name: 'Chrome on iOS',
    value: "Can't find variable: gCrWeb",
    frames: [],
    agent: `${iphone} CriOS/120.0 Mobile/15E148 Safari/604.1`,
  },
  {
    name: 'Chrome on iOS, newer',
    type: 'TypeError',
    value: "undefined is not an object (evaluating '__gCrWeb.instantSearch.setIncognito')",
    frames: [],
  },
  {
    name: 'Instagram',
    value: "Can't find variable: _AutofillCallbackHandler",
    frames: [],
    agent: `${iphone} Mobile/15E148 Instagram 300.0`,
  },
  { name: 'Facebook on Android', value: 'enableDidUserTypeOnKeyboardLogging is not defined', frames: [] },
  { name: 'a bridge that went away', value: 'Error invoking postMessage: Java object is gone', frames: [] },
  { name: 'a bridge that threw', value: 'Java exception was raised during method invocation', frames: [] },
  {
    name: 'Firefox on iOS',
    type: 'TypeError',
    value: "undefined is not an object (evaluating '__firefox__.reader')",
    frames: [],
  },
  { name: 'Edge on iOS', value: "Can't find variable: instantSearchSDKJSBridgeClearHighlight", frames: [] },
  {
    name: 'DuckDuckGo',
    type: 'TypeError',
    value: "undefined is not an object (evaluating 'window.webkit.messageHandlers.autofill.postMessage')",
    frames: [],
  },
  {
    name: 'Twitter',
    type: 'TypeError',
    value: "undefined is not an object (evaluating 'window.webkit.messageHandlers.pageHandler.postMessage')",
    frames: [],
  },
  { name: 'Zalo', value: 'zaloJSV2 is not defined', frames: [] },
  { name: 'a payment form', value: "Can't find variable: PaymentAutofillBridge", frames: [] },
  {
    name: 'Facebook’s measuring',
    type: 'ReferenceError',
    value: "Can't find variable: navigationPerformanceLoggerJavascriptInterface",
    frames: [],
  },
  { name: 'UC', value: 'UCShellJava is not defined', frames: [] },
  { name: 'an own name that is not known', hard: true, value: "Can't find variable: superAppBridge", frames: [] },
])

const blockers = rows('ad-blocker', [
  { name: 'told by the browser', value: 'net::ERR_BLOCKED_BY_CLIENT https://shop.example/x.js' },
  { name: 'a request with its host', type: 'TypeError', value: 'Failed to fetch (api.segment.io)' },
  { name: 'in Safari', type: 'TypeError', value: 'Load failed (www.google-analytics.com)' },
  {
    name: 'in Firefox',
    type: 'TypeError',
    value: 'NetworkError when attempting to fetch resource. (api2.amplitude.com)',
  },
  { name: 'a script', value: 'Failed to load script: https://www.googletagmanager.com/gtag/js?id=G-1' },
  { name: 'its name', type: 'ReferenceError', value: 'gtag is not defined' },
  { name: 'its name in Safari', type: 'ReferenceError', value: "Can't find variable: fbq" },
  { name: 'advertisements', type: 'ReferenceError', value: 'adsbygoogle is not defined' },
  { name: 'a request without a host', hard: true, type: 'TypeError', value: 'Failed to fetch' },
])

const thirdParties = rows('third-party', [
  { name: 'no more than that', type: 'Error', value: 'Script error.', frames: [] },
  { name: 'as a message', message: 'Script error.', frames: [] },
  { name: 'tags', frames: [gtm] },
  { name: 'tags that call tags', frames: [gtm, 'https://www.google-analytics.com/analytics.js'] },
  { name: 'a network', frames: ['https://connect.facebook.net/en_US/fbevents.js'] },
  { name: 'a chat', frames: ['https://widget.intercom.io/widget/abc', 'https://js.intercomcdn.com/frame.js'] },
  { name: 'a recorder', frames: ['https://static.hotjar.com/c/hotjar-1.js'] },
  { name: 'advertisements', frames: ['https://securepubads.g.doubleclick.net/gpt/pubads_impl.js'] },
  { name: 'consent', frames: ['https://cdn.cookielaw.org/scripttemplates/otSDKStub.js'] },
  { name: 'forms', frames: ['[native code]', 'https://js.hsforms.net/forms/v2.js'] },
  { name: 'nobody knows', hard: true, frames: ['https://cdn.unknown-widget.example/w.js'] },
])

/** Errors of the team's own, each similar to a kind of noise. */
const own = rows('own', [
  { name: 'plain' },
  {
    name: 'a rejected text',
    type: 'UnhandledRejection',
    value: 'Non-Error promise rejection captured with value: timeout',
  },
  { name: 'a message', message: 'Payment was refused' },
  { name: 'a server that renders for a crawler', platform: 'node', agent: bot('Googlebot/2.1') },
  { name: 'a server behind a proxy', platform: 'node', url: 'http://localhost:3000/cart' },
  {
    name: 'a phone called Cubot',
    agent: 'Mozilla/5.0 (Linux; Android 9; CUBOT_X19) AppleWebKit/537.36 Chrome/120.0 Mobile Safari/537.36',
  },
  { name: 'in Facebook', agent: `${iphone} Mobile/15E148 [FBAN/FBIOS;FBAV/440.0]` },
  { name: 'in Pinterest', agent: `${iphone} Mobile/15E148 [Pinterest/iOS]` },
  {
    name: 'in Slack',
    agent: 'Mozilla/5.0 (Macintosh) AppleWebKit/537.36 Slack/4.35 Chrome/118.0 Electron/27.0 Safari/537.36',
  },
  { name: 'in the browser of DuckDuckGo', agent: `${iphone} Version/17.1 Mobile/15E148 DuckDuckGo/7 Safari/605.1.15` },
  { name: 'in the app of Google', agent: `${iphone} GSA/290.0 Mobile/15E148 Safari/604.1` },
  { name: 'a page about localhost', url: 'https://shop.example/help/localhost' },
  { name: 'a host that begins so', url: 'https://localhost.example/' },
  { name: 'a search for it', url: 'https://shop.example/?next=http://localhost:3000/' },
  { name: 'a request to it', value: 'Failed to fetch http://localhost:8080/api' },
  { name: 'no address of the page', url: '' },
  { name: 'an extension that wraps a call', frames: [chromeExtension, app] },
  { name: 'a text about extensions', value: 'File extension not allowed: chrome' },
  { name: 'the name of a scheme', value: 'Unknown scheme chrome-extension://abc' },
  { name: 'an own context', value: 'Context invalidated by logout' },
  {
    name: 'a wallet that the shop asks',
    type: 'TypeError',
    value: "Cannot read properties of undefined (reading 'request')",
  },
  { name: 'ethereum by name', value: 'ethereum is not defined' },
  { name: 'a connection', value: 'Could not establish connection.' },
  {
    name: 'moved nodes of its own',
    type: 'NotFoundError',
    value: "Failed to execute 'appendChild' on 'Node': The new child element contains the parent.",
  },
  { name: 'a page of translations', url: 'https://shop.example/translate/goog' },
  { name: 'a host that names it', url: 'https://translate.shop.example/' },
  { name: 'a key that is missing', value: 'Missing translation: cart.title' },
  { name: 'one font', value: 'Failed to load font', clicked: 'div > font' },
  { name: 'a click within fonts, another error', value: 'price is undefined', clicked: 'a > font > font' },
  {
    name: 'an own bridge',
    type: 'TypeError',
    value: "undefined is not an object (evaluating 'window.webkit.messageHandlers.checkout.postMessage')",
  },
  { name: 'an own bridge on Android', type: 'ReferenceError', value: 'ShopAndroid is not defined' },
  { name: 'autofill of its own', value: 'AutofillCallback is not a function' },
  { name: 'Java in a text', value: 'Java is an island' },
  { name: 'its own API', type: 'TypeError', value: 'Failed to fetch (api.shop.example)' },
  { name: 'its own API without a host', type: 'TypeError', value: 'Load failed' },
  { name: 'its own segment', type: 'TypeError', value: 'Failed to fetch (segment.shop.example)' },
  { name: 'a host that ends alike', type: 'TypeError', value: 'Failed to fetch (notsegment.io.example)' },
  { name: 'a name that ends alike', type: 'TypeError', value: 'Failed to fetch (mysegment.io)' },
  { name: 'a name of its own', type: 'ReferenceError', value: 'gtagConfig is not defined' },
  { name: 'a name within words', type: 'Error', value: 'Setting up: gtag is not defined in the settings of the shop' },
  { name: 'blocked by the shop', value: 'Checkout is blocked by client limits' },
  { name: 'a script of its own', value: 'Failed to load script: https://shop.example/a.js' },
  { name: 'own code by a tag', frames: [gtm, app] },
  { name: 'a tag that own code calls', frames: [app, gtm] },
  { name: 'own code on a CDN', frames: [cdn] },
  { name: 'own code on a known CDN', frames: ['https://cdn.jsdelivr.net/npm/shop@1/main.js'] },
  { name: 'own code at Vercel', frames: ['https://shop.vercel.app/_next/static/chunks/1.js'] },
  { name: 'a host with its name in front', frames: ['https://hotjar.com.shop.example/a.js'] },
  { name: 'a path with its name', frames: ['https://shop.example/vendor/googletagmanager.com/gtm.js'] },
  { name: 'a script error with words', value: 'Script error: cart is empty' },
  { name: 'a script error with a stack', value: 'Script error.', frames: [app] },
  { name: 'a mapped file', frames: ['webpack-internal:///./src/cart.ts'] },
  { name: 'an anonymous one', frames: ['<anonymous>'] },
  { name: 'native code only', frames: ['[native code]'] },
  {
    name: 'hydration without a diff',
    value: 'Minified React error #418; visit https://react.dev/errors/418?args[]=HTML&args[]=',
  },
  {
    name: 'hydration of a date',
    value:
      "Hydration failed because the server rendered text didn't match the client.\n\nhttps://react.dev/link/hydration-mismatch\n\n  <Day>\n+   1/2/2026\n-   02.01.2026",
  },
  {
    name: 'hydration of an own attribute',
    value:
      'Hydration failed because the server rendered HTML didn\'t match the client.\n\nhttps://react.dev/link/hydration-mismatch\n\n  <Box>\n    <div\n-     data-grid="a"\n+     data-grid="b"\n    >',
  },
  {
    name: 'hydration of a class',
    value:
      'Hydration failed because the server rendered HTML didn\'t match the client.\n\nhttps://react.dev/link/hydration-mismatch\n\n  <Box>\n    <div\n-     className="translated"\n+     className="plain"\n    >',
  },
  { name: 'a chunk', type: 'ChunkLoadError', value: 'Loading chunk 437 failed.' },
  { name: 'a loop', type: 'RangeError', value: 'Maximum call stack size exceeded' },
  {
    name: 'storage',
    type: 'QuotaExceededError',
    value: "Failed to execute 'setItem' on 'Storage': exceeded the quota.",
  },
  {
    name: 'a policy',
    type: 'SecurityError',
    value: "Failed to read the 'localStorage' property from 'Window': Access is denied for this document.",
  },
  { name: 'an abort', type: 'AbortError', value: 'The user aborted a request.' },
  { name: 'an observer', value: 'ResizeObserver loop completed with undelivered notifications.' },
  { name: 'an unknown bot in a text', value: 'Googlebot is not allowed here' },
  { name: 'a chat of its own', frames: ['https://chat.shop.example/widget.js'] },
  { name: 'a frame without an address', frames: [''] },
  { name: 'an application of Capacitor on Android', url: 'https://localhost/cart' },
  { name: 'an older one', url: 'http://localhost/' },
  { name: 'one on iOS', url: 'capacitor://localhost/cart' },
  {
    name: 'the team of a third party',
    url: 'https://app.intercom.io/inbox',
    frames: ['https://js.intercom.io/app.js'],
  },
  {
    name: 'a request of theirs',
    url: 'https://app.hotjar.com/',
    type: 'TypeError',
    value: 'Failed to fetch (api.hotjar.com)',
  },
])

export const noiseCases: readonly NoiseCase[] = [
  ...bots,
  ...local,
  ...extensions,
  ...translators,
  ...webViews,
  ...blockers,
  ...thirdParties,
  ...own,
]
export const ownFrame = app
