import bowser from 'bowser'
import type { Json } from '../../../wire/json.ts'
import type { Context } from '../../pipeline/context.ts'
import type { Draft } from '../../pipeline/draft.ts'
/** The data of a user agent. Any field can be missing. */
export type UserAgentDetails = {
  browser?: { name: string; version?: string }
  os?: { name: string; version?: string }
  device?: { family?: string; brand?: string; model?: string; kind?: string }
}

const agentMax = 1024

/** Reads browser, system and device from user agent and client hints. Never throws. `hints` has lower-case names. */
export function readUserAgent(agent: string, hints: Readonly<Record<string, string>>): UserAgentDetails {
  const details: UserAgentDetails = {}
  if (agent) {
    try {
      applyParsed(details, bowser.parse(agent))
    } catch {
      // bowser throws on texts that it cannot handle. Then only the hints are used.
    }
  }
  applyHints(details, hints)
  return details
}

function applyParsed(details: UserAgentDetails, parsed: ReturnType<typeof bowser.parse>): void {
  const { browser, os, platform } = parsed
  if (browser.name) details.browser = { name: browser.name, ...(browser.version ? { version: browser.version } : {}) }
  if (os.name) {
    const version = os.version ?? os.versionName
    details.os = {
      name: os.name,
      ...(version ? { version: os.name === 'Windows' ? (version.replace(/^NT /, '') ?? version) : version } : {}),
    }
  }
  if (platform.type || platform.model || platform.vendor) {
    details.device = {
      ...(platform.model ? { family: platform.model, model: platform.model } : {}),
      ...(platform.vendor ? { brand: platform.vendor } : {}),
      ...(platform.type ? { kind: platform.type } : {}),
    }
  }
}

const unquoted = (value: string | undefined): string => (value ?? '').replace(/^"|"$/g, '').trim().slice(0, 64)

/** Hints override the frozen parts of the user agent, whose platform version and model mean nothing any more. */
function applyHints(details: UserAgentDetails, hints: Readonly<Record<string, string>>): void {
  const brands = hints['sec-ch-ua-full-version-list'] ?? hints['sec-ch-ua']
  if (brands && !details.browser) {
    for (const found of brands.slice(0, agentMax).matchAll(/"([^"]{1,64})";\s?v="([^"]{1,32})"/g)) {
      const [, name = '', version = ''] = found
      if (/not.{0,4}brand/i.test(name) || (name === 'Chromium' && details.browser)) continue
      details.browser = { name: name === 'Google Chrome' ? 'Chrome' : name, version }
    }
  }
  const platform = unquoted(hints['sec-ch-ua-platform'])
  const version = unquoted(hints['sec-ch-ua-platform-version'])
  if (platform) {
    const same = details.os?.name.toLowerCase() === platform.toLowerCase()
    const known = version ? osVersion(platform, version) : same ? details.os?.version : undefined
    details.os = { name: platform, ...(known ? { version: known } : {}) }
  }
  const model = unquoted(hints['sec-ch-ua-model'])
  if (model) details.device = { ...details.device, family: model, model }
}

/** In client hints, Windows 11 has platform version 13 and above, Windows 10 has 1 to 10. */
function osVersion(platform: string, version: string): string {
  if (platform !== 'Windows') return version
  const major = Number(version.split('.')[0])
  if (major >= 13) return '11'
  return major >= 1 ? '10' : version
}

/** Adds missing contexts from the user agent of the event's request, else of the browser that sent the event. */
export function userAgent(draft: Draft, context: Context): void {
  const { event } = draft
  const fromBrowser = event.platform === 'javascript' || event.type !== 'error'
  const header = event.request?.headers?.find(([name]) => name.toLowerCase() === 'user-agent')?.[1]
  const agent = (header ?? (fromBrowser ? senderAgent(context) : '')).slice(0, agentMax)
  const hints = fromBrowser && (!header || header === context.head.userAgent) ? (context.head.clientHints ?? {}) : {}
  if (!agent && !Object.keys(hints).length) return
  const key = `${agent}\n${Object.values(hints).join('\n').slice(0, agentMax)}`
  let details = context.tools.agents.get(key)
  if (!details) {
    details = readUserAgent(agent, hints)
    context.tools.agents.set(key, details)
  }
  const add = (name: string, value: { [key: string]: Json } | undefined) => {
    if (value && !Object.hasOwn(event.contexts, name))
      event.contexts[name] = { ...value, type: name === 'client_os' ? 'os' : name }
  }
  add('browser', details.browser)
  // An operating system from the SDK is the program's own. The visitor's goes to `client_os`.
  const os = event.contexts['os']
  add(os && os['name'] !== details.os?.name ? 'client_os' : 'os', details.os)
  if (details.device?.model) add('device', details.device)
}

/** Only browsers send their own user agent. Server SDKs send the name of their HTTP library. */
function senderAgent(context: Context): string {
  return /^(?:Mozilla|Opera)\//.test(context.head.userAgent) ? context.head.userAgent : ''
}
