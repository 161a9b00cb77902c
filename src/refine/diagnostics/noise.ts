import type { Diagnostics } from '../../domain/diagnostics.ts'
import type { NormalEvent, NormalFrame } from '../../domain/event.ts'
import { extensionFrameOf, extensionMessages, localhostOf } from '../filter/rules.ts'
import { translatedPage } from './hydration.ts'
import { type EventText, lineAt, short } from './texts.ts'

type Noise = NonNullable<Diagnostics['noise']>

/** Scripts that apps inject into their web views, by names that are unique to them. */
const webView =
  /gCrWeb|_AutofillCallbackHandler|PaymentAutofillBridge|__firefox__\.|instantSearchSDKJSBridge|webkit\.messageHandlers\.(?:autofill|selectedDebugHandler|pageHandler)|setting 'luaEnabled'|zaloJSV2|enableDidUserTypeOnKeyboardLogging|navigationPerformanceLogger|ibFindAllVideos|UCShellJava|Java object is gone|Java exception was raised during method invocation|vivoNewsDetailPage|xbrowser is not defined/
/** Crawlers without a name, by errors that only they cause. */
const scanners = /Object Not Found Matching Id:\d{1,6}, MethodName:\w{1,60}, ParamCount:\d/
/** Wallets and other extensions for which the inbound filter has no texts. */
const injected =
  /Cannot redefine property: ethereum|evaluating 'window\.ethereum\.selectedAddress = undefined'|evaluating 'window\.__pad\.performLoop'/

const translatorFrame =
  /^https?:\/\/(?:translate\.google\.|translate\.googleapis\.|translate-pa\.googleapis\.)|\/_\/translate_http\//
/** Errors of React when a translator has moved nodes. */
const movedNodes =
  /Failed to execute '(?:removeChild|insertBefore)' on 'Node'|The object can not be found here|The node (?:to be removed|before which the new node is to be inserted) is not a child of this node/

/** Third-party sites whose scripts pages include: analytics, advertising, chat, consent. Subdomains count, too. */
const thirdParties: ReadonlySet<string> = new Set([
  'googletagmanager.com',
  'google-analytics.com',
  'googlesyndication.com',
  'googleadservices.com',
  'doubleclick.net',
  'adservice.google.com',
  'googletagservices.com',
  'connect.facebook.net',
  'analytics.tiktok.com',
  'static.ads-twitter.com',
  'snap.licdn.com',
  'bat.bing.com',
  'clarity.ms',
  'hotjar.com',
  'fullstory.com',
  'mouseflow.com',
  'crazyegg.com',
  'segment.com',
  'segment.io',
  'amplitude.com',
  'mixpanel.com',
  'heapanalytics.com',
  'optimizely.com',
  'intercom.io',
  'intercomcdn.com',
  'zdassets.com',
  'hs-scripts.com',
  'hs-analytics.net',
  'hsforms.net',
  'drift.com',
  'driftt.com',
  'crisp.chat',
  'tawk.to',
  'cookielaw.org',
  'cookiebot.com',
  'usercentrics.eu',
  'taboola.com',
  'outbrain.com',
  'criteo.net',
  'criteo.com',
  'mc.yandex.ru',
  'scorecardresearch.com',
  'quantserve.com',
  'adsrvr.org',
  'amazon-adsystem.com',
  'pinimg.com',
  'sc-static.net',
  'newrelic.com',
  'nr-data.net',
])

/** Globals of those scripts. They are missing if a blocker stopped the script. */
const blockedNames =
  /^(?:(?:gtag|fbq|googletag|adsbygoogle|_gaq|ttq|twq|pintrk|snaptr|hj|_satellite) is not defined|Can't find variable: (?:gtag|fbq|googletag|adsbygoogle|_gaq|ttq|twq|pintrk|snaptr|hj|_satellite))$/
/** Texts of browsers and SDKs about failed loads. */
const notLoaded =
  /Failed to fetch|Load failed|NetworkError|Failed to load (?:script|resource)|Network request failed|Network Error/
const noDetails = /^Script error\.?$/
/** Texts of which one must be present for a verdict by words, in addition to those of extensions. */
export const noisePatterns: readonly RegExp[] = [
  webView,
  scanners,
  injected,
  movedNodes,
  blockedNames,
  notLoaded,
  noDetails,
  /ERR_BLOCKED_BY_CLIENT/,
]
const hostsIn = /(?:https?:\/\/|\()([a-z0-9][a-z0-9.-]{3,253}[a-z0-9])/gi

/** The third-party site that a host belongs to, if any. */
export function thirdPartyOf(host: string): string | undefined {
  const labels = host.toLowerCase().split('.').slice(-6)
  for (let i = 0; i < labels.length - 1; i++) {
    const site = labels.slice(i).join('.')
    if (thirdParties.has(site)) return site
  }
  return undefined
}

/** Parsing an address costs a microsecond, so it is done only if it can be the own machine in any notation. */
const mayBeLocal = /^https?:\/\/(?:[^/?#]{0,255}localhost|[\d[]|0x)/i
/** Apps with a web view of their own (Capacitor, Cordova) serve their pages this way in production. */
const appPage = /^https?:\/\/localhost(?:[/?#]|$)/i

/** The page's host if it was served by a developer's own machine. */
function ownMachine(event: NormalEvent): string | undefined {
  const url = (event.request?.url ?? '').slice(0, 300)
  return mayBeLocal.test(url) && !appPage.test(url) ? localhostOf(event) : undefined
}

const hostIn = (place: string | undefined): string =>
  place?.startsWith('http') ? (/^https?:\/\/([^/?#:]{1,255})/.exec(place)?.[1] ?? '') : ''

/**
 * The first certain reason why the team cannot fix a browser event. Errors caused by the team's own code are never
 * noise: a third-party script called by the page's own functions counts as the team's. `candidates`: the texts with words
 * of a diagnostic. `crawler`: the result of `crawlerOf` for the user agent. `hydration`: the event's own diagnostic.
 */
export function noiseOf(
  event: NormalEvent,
  eventTexts: readonly EventText[],
  candidates: readonly EventText[],
  crawler: string | undefined,
  hydration: Diagnostics['hydration'],
): Noise | undefined {
  if (event.platform !== 'javascript') return undefined
  if (crawler) return { kind: 'bot', found: short(crawler) }
  const host = ownMachine(event)
  if (host) return { kind: 'localhost', found: host }
  if (hydration?.cause === 'extension' || hydration?.cause === 'translator')
    return { kind: hydration.cause, found: short(hydration.evidence ?? '') }
  const frames = event.exception?.values.at(-1)?.stacktrace?.frames ?? []
  const thrown = placeOf(frames.at(-1))
  if (translatorFrame.test(thrown)) return { kind: 'translator', found: short(thrown) }
  const file = extensionFrameOf(event)
  if (file) return { kind: 'extension', found: short(file) }
  return byTexts(event, candidates) ?? byFrames(event, eventTexts, frames)
}

/** The verdict by texts alone. */
function byTexts(event: NormalEvent, candidates: readonly EventText[]): Noise | undefined {
  for (const { text } of candidates) {
    for (const [pattern, kind] of [
      [scanners, 'bot'],
      [webView, 'web-view'],
      [injected, 'extension'],
    ] as const) {
      const found = pattern.exec(text)
      if (found) return { kind, found: lineAt(text, found.index) }
    }
    const evidence = extensionMessages.exec(text)?.[0]
    if (evidence) return { kind: 'extension', found: short(evidence) }
    const blocked = blockedIn(event, text)
    if (blocked) return { kind: 'ad-blocker', found: blocked }
    const translated = movedNodes.test(text) ? translatedPage(event) : undefined
    if (translated) return { kind: 'translator', found: short(`${translated}: ${text}`) }
  }
  return undefined
}

/** The third party of a host. On the third party's own pages, it is not foreign: those teams use this product, too. */
function foreignTo(event: NormalEvent, host: string): string | undefined {
  const site = thirdPartyOf(host)
  return site === undefined || site === thirdPartyOf(hostIn(event.request?.url)) ? undefined : site
}

function blockedIn(event: NormalEvent, text: string): string | undefined {
  if (text.includes('ERR_BLOCKED_BY_CLIENT') || blockedNames.test(text)) return short(text)
  if (!notLoaded.test(text)) return undefined
  for (const [, host = ''] of text.matchAll(hostsIn)) if (foreignTo(event, host)) return short(text)
  return undefined
}

/** A known third party's script without frames of the page's own, or one whose details the browser hides. */
function byFrames(
  event: NormalEvent,
  eventTexts: readonly EventText[],
  frames: readonly NormalFrame[],
): Noise | undefined {
  const main = eventTexts[0]
  if (frames.length === 0)
    return main && noDetails.test(main.text) ? { kind: 'third-party', found: main.text } : undefined
  const thrown = placeOf(frames.at(-1))
  if (!foreignTo(event, hostIn(thrown)) || (event.exception?.values.length ?? 0) > 1) return undefined
  const isForeign = (frame: NormalFrame) => {
    const place = placeOf(frame)
    return ['', '[native code]', '<anonymous>'].includes(place) || foreignTo(event, hostIn(place)) !== undefined
  }
  return frames.every(isForeign) ? { kind: 'third-party', found: short(thrown) } : undefined
}

const placeOf = (frame: NormalFrame | undefined): string => frame?.abs_path ?? frame?.filename ?? ''
