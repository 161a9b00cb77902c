import { createNetworks } from '../../base/network.ts'
import type { NormalEvent } from '../../domain/event.ts'
import {
  type FilterReason,
  isOldBrowser,
  type OldBrowser,
  oldBrowsers,
  type ProjectFilters,
} from '../../domain/filters.ts'
import { hostOf } from '../kinds/security/security.ts'
import { createPatterns } from './pattern.ts'

/** The filter that dropped an event, and the value that matched. */
export type Dropped = { reason: FilterReason; why: string }

/** The data of a request that the rules need besides its event. */
export type Sender = { userAgent: string; address: string }

/** All enabled filters of a project as one function. Undefined: the event is not filtered. Reused for many events. */
export type Filter = (event: NormalEvent, sender: Sender) => Dropped | undefined

type Rule = { reason: FilterReason; matches: (event: NormalEvent, sender: Sender) => string | undefined }

const whyCharactersMax = 200

/** Makes the filter function for the enabled filters of a project. */
export function createFilter(filters: ProjectFilters): Filter {
  const rules: Rule[] = []
  const add = (on: boolean, reason: FilterReason, matches: Rule['matches']) => {
    if (on) rules.push({ reason, matches })
  }
  const [messages, releases] = [createPatterns(filters.messages), createPatterns(filters.releases)]
  const cspSources = createPatterns(filters.cspSources)
  const isWithin = createNetworks(filters.addresses)
  add(filters.addresses.length > 0, 'ip_address', (event, sender) =>
    [event.user?.ip_address, sender.address].find((entry) => entry !== undefined && entry !== '' && isWithin(entry)),
  )
  add(filters.releases.length > 0, 'release_version', (event) => event.release && releases(event.release))
  add(filters.cspSources.length > 0, 'csp_source', (event) => firstMatch(sourcesOf(event), cspSources))
  add(filters.localhost, 'localhost', localhostOf)
  add(filters.crawlers, 'web_crawler', (event, sender) => crawlerOf(agentOf(event, sender)))
  add(filters.browsers.length > 0, 'legacy_browser', (event, sender) => oldBrowserOf(event, sender, filters.browsers))
  add(filters.extensions, 'browser_extension', extensionOf)
  add(filters.hydration, 'hydration_error', (event) => matchedText(event, hydration))
  add(filters.chunkLoad, 'chunk_load_error', (event) => matchedText(event, chunkLoad))
  add(filters.messages.length > 0, 'error_message', (event) => firstMatch(textsOf(event), messages))
  return (event, sender) => {
    for (const { reason, matches } of rules) {
      const why = matches(event, sender)
      if (why !== undefined) return { reason, why: why.slice(0, whyCharactersMax).toWellFormed() }
    }
    return undefined
  }
}

/** The first pattern that one of the texts matches. */
function firstMatch(texts: readonly string[], patternOf: (text: string) => string | undefined): string | undefined {
  for (const text of texts) {
    const found = patternOf(text)
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * The blocked resource of a CSP report and the file that requested it. Each is given as in the report (an address or a
 * word such as `inline`). For an address, also its origin and host, as policies name their sources.
 */
function sourcesOf({ type, csp }: NormalEvent): string[] {
  if (type !== 'csp') return []
  return [csp?.['blocked_uri'], csp?.['source_file']].flatMap((value) => {
    const source = typeof value === 'string' ? value.trim() : ''
    const host = hostOf(source)
    if (host === '') return source === '' ? [] : [source]
    return [source, `${source.slice(0, source.indexOf(':'))}://${host}`, host, host.replace(/:\d{1,5}$/, '')]
  })
}

/** The texts of an error: "Type: value" and the value of each exception, and the message. */
function textsOf(event: NormalEvent): string[] {
  const texts: string[] = []
  for (const { type, value } of event.exception?.values ?? []) {
    if (type && value) texts.push(`${type}: ${value}`)
    if (value) texts.push(value)
    else if (type) texts.push(type)
  }
  const { formatted, message } = event.logentry ?? {}
  if (formatted) texts.push(formatted)
  if (message && message !== formatted) texts.push(message)
  return texts
}

/** The part of an error's texts that matches known texts. The rest is not included, because it is not scrubbed yet. */
function matchedText(event: NormalEvent, pattern: RegExp): string | undefined {
  for (const text of textsOf(event)) {
    const found = pattern.exec(text)
    if (found) return found[0]
  }
  return undefined
}

const isBrowserEvent = (event: NormalEvent): boolean => event.platform === 'javascript'

/** The page's host if it is the local machine. Client addresses do not count: behind a proxy all can be 127.0.0.1. */
export function localhostOf(event: NormalEvent): string | undefined {
  const url = event.request?.url
  const host = url === undefined || !URL.canParse(url) ? '' : new URL(url).hostname
  return /^(?:localhost|.*\.localhost|127(?:\.\d{1,3}){3}|\[::1\]|0\.0\.0\.0)$/.test(host) ? host : undefined
}

/** The user agent of the event's request, else of its sender. At most 1,024 characters. */
export const agentOf = (event: NormalEvent, sender: Pick<Sender, 'userAgent'>): string =>
  (event.request?.headers?.find(([name]) => name.toLowerCase() === 'user-agent')?.[1] ?? sender.userAgent).slice(
    0,
    1024,
  )

/** Names of crawlers, link previewers and monitors, according to their documentation. */
const crawlers =
  /Googlebot|Google-InspectionTool|AdsBot-Google|Mediapartners-Google|FeedFetcher-Google|Storebot-Google|GoogleOther|Google-Read-Aloud|bingbot|BingPreview|adidxbot|msnbot|Yahoo! Slurp|DuckDuckBot|DuckDuckGo-Favicons-Bot|Baiduspider|Yandex(?:Bot|Images|Video|Media|Blogs|Favicons|Webmaster|Metrika|Mobile|RenderResources)|Sogou web spider|Exabot|SeznamBot|facebookexternalhit|meta-externalagent|Facebot|Twitterbot|LinkedInBot|Slackbot|Slack-ImgProxy|Discordbot|TelegramBot|WhatsApp\/|Pinterestbot|redditbot|Applebot|AhrefsBot|SemrushBot|MJ12bot|DotBot|rogerbot|PetalBot|Bytespider|GPTBot|ChatGPT-User|OAI-SearchBot|ClaudeBot|CCBot|PerplexityBot|Amazonbot|ia_archiver|archive\.org_bot|Chrome-Lighthouse|UptimeRobot|Pingdom|Site24x7|StatusCake|GTmetrix|Screaming Frog|BLEXBot|DataForSeoBot/i

/** The name of a crawler, previewer or monitor in a user agent, if any. */
export function crawlerOf(agent: string): string | undefined {
  return agent === '' ? undefined : crawlers.exec(agent)?.[0]
}

/** Browser names as set by the user agent step. */
const browserNames: Record<string, OldBrowser> = {
  'Internet Explorer': 'ie',
  'Microsoft Edge': 'edge',
  Edge: 'edge',
  Safari: 'safari',
  'Mobile Safari': 'safari',
  Firefox: 'firefox',
  Chrome: 'chrome',
  'Chrome Mobile': 'chrome',
  Opera: 'opera',
  'Opera Mini': 'opera_mini',
  'Android Browser': 'android',
}

function oldBrowserOf(event: NormalEvent, sender: Sender, browsers: readonly OldBrowser[]): string | undefined {
  const context = event.contexts['browser']
  const name = typeof context?.['name'] === 'string' ? context['name'] : ''
  const version = typeof context?.['version'] === 'string' ? context['version'] : ''
  // Opera Mini is a proxy browser. Only its own word in the user agent identifies it.
  const mini = /Opera Mini\/(\d{1,4})/.exec(agentOf(event, sender))
  const browser = mini ? 'opera_mini' : Object.hasOwn(browserNames, name) ? browserNames[name] : undefined
  if (browser === undefined || !isOldBrowser(browser) || !browsers.includes(browser)) return undefined
  const major = Number.parseInt(mini?.[1] ?? version, 10)
  return major <= oldBrowsers[browser] ? `${mini ? 'Opera Mini' : name} ${mini?.[1] ?? version}` : undefined
}

const extensionFrame =
  /^(?:chrome|moz|safari|safari-web|ms-browser|edge|opera)-extension:|^webkit-masked-url:|^resource:\/\/(?!\/)|\/kaspersky-labs\.com\/|^https?:\/\/gc\.kis\.v2\.scr\./
/** Texts that known extensions and toolbars throw in pages that do not contain such code. */
export const extensionMessages =
  /top\.GLOBALS|originalCreateNotification|canvas\.contentDocument|MyApp_RemoveAllHighlights|tt\.epicplay\.com|Can't find variable: ZiteReader|jigsaw is not defined|ComboSearch is not defined|loading\.retry\.widdit\.com|atomicFindClose|fb_xd_fragment|bmi_SafeAddOnload|EBCallBackMessageReceived|conduitPage|Can't find variable: gCrWeb|Can't find variable: _AutofillCallbackHandler|Extension context invalidated|Could not establish connection\. Receiving end does not exist|Can't find variable: instantSearchSDKJSBridgeClearHighlight|__firefox__\.|webkit\.messageHandlers\.autofill|evaluating 'window\.webkit\.messageHandlers\.(?:selectedDebugHandler|pageHandler)|setting 'luaEnabled'|zaloJSV2|DealPly|runtime\.sendMessage\(\)\. Tab not found/

/** The throwing frame decides: an extension that only wraps a call of the page has a frame further up. */
function extensionOf(event: NormalEvent): string | undefined {
  return isBrowserEvent(event) ? (extensionFrameOf(event) ?? matchedText(event, extensionMessages)) : undefined
}

/** The extension file that threw the event's error. */
export function extensionFrameOf(event: NormalEvent): string | undefined {
  const thrown = event.exception?.values.at(-1)?.stacktrace?.frames.at(-1)
  const place = thrown?.abs_path ?? thrown?.filename ?? ''
  return extensionFrame.test(place) ? place : undefined
}

/** Whether this filter accepts the same evidence of an extension: a throwing file or a known text. */
export const isFilteredExtension = (found: string): boolean =>
  extensionFrame.test(found) || extensionMessages.test(found)

/** React's messages, and their numbers in its minified build. */
const hydration =
  /Hydration failed because|There was an error while hydrating|Text content does not match server-rendered HTML|The server could not finish this Suspense boundary|Minified React error #(?:418|419|422|423|425)\b|error-decoder\.html\?invariant=(?:418|419|422|423|425)\b|react\.dev\/errors\/(?:418|419|422|423|425)\b/
/** Messages of webpack, Vite, Rollup and browsers about a file that a newer build removed. */
const chunkLoad =
  /ChunkLoadError|Loading (?:CSS )?chunk \S{1,200} failed|Failed to (?:fetch|load) dynamically imported module|error loading dynamically imported module|Importing a module script failed|Unable to preload CSS for /
