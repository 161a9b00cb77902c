import bowser from 'bowser'
import type { Json } from '../../../wire/json.ts'
import type { Context } from '../../pipeline/context.ts'
import type { Draft } from '../../pipeline/draft.ts'
/** The data of a user agent. Any field can be missing. */
export type UserAgentFacts = {
  browser?: { name: string; version?: string }
  os?: { name: string; version?: string }
  device?: { family?: string; brand?: string; model?: string; kind?: string }
}

const agentMax = 1024

/** Reads browser, system and device from user agent and client hints. Never throws. `hints` has lower-case names. */
export function readUserAgent(agent: string, hints: Readonly<Record<string, string>>): UserAgentFacts {
  const facts: UserAgentFacts = {}
  if (agent) {
    try {
      take(facts, bowser.parse(agent))
    } catch {
      // bowser throws on texts that it cannot handle. Then only the hints are used.
    }
  }
  takeHints(facts, hints)
  return facts
}

function take(facts: UserAgentFacts, parsed: ReturnType<typeof bowser.parse>): void {
  const { browser, os, platform } = parsed
  if (browser.name) facts.browser = { name: browser.name, ...(browser.version ? { version: browser.version } : {}) }
  if (os.name) {
    const version = os.version ?? os.versionName
    facts.os = {
      name: os.name,
      ...(version ? { version: os.name === 'Windows' ? (version.replace(/^NT /, '') ?? version) : version } : {}),
    }
  }
  if (platform.type || platform.model || platform.vendor) {
    facts.device = {
      ...(platform.model ? { family: platform.model, model: platform.model } : {}),
      ...(platform.vendor ? { brand: platform.vendor } : {}),
      ...(platform.type ? { kind: platform.type } : {}),
    }
  }
}

const unquoted = (value: string | undefined): string => (value ?? '').replace(/^"|"$/g, '').trim().slice(0, 64)

/** Hints override the frozen parts of the user agent, whose platform version and model mean nothing any more. */
function takeHints(facts: UserAgentFacts, hints: Readonly<Record<string, string>>): void {
  const brands = hints['sec-ch-ua-full-version-list'] ?? hints['sec-ch-ua']
  if (brands && !facts.browser) {
    for (const found of brands.slice(0, agentMax).matchAll(/"([^"]{1,64})";\s?v="([^"]{1,32})"/g)) {
      const [, name = '', version = ''] = found
      if (/not.{0,4}brand/i.test(name) || (name === 'Chromium' && facts.browser)) continue
      facts.browser = { name: name === 'Google Chrome' ? 'Chrome' : name, version }
    }
  }
  const platform = unquoted(hints['sec-ch-ua-platform'])
  const version = unquoted(hints['sec-ch-ua-platform-version'])
  if (platform) {
    const same = facts.os?.name.toLowerCase() === platform.toLowerCase()
    const known = version ? osVersion(platform, version) : same ? facts.os?.version : undefined
    facts.os = { name: platform, ...(known ? { version: known } : {}) }
  }
  const model = unquoted(hints['sec-ch-ua-model'])
  if (model) facts.device = { ...facts.device, family: model, model }
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
  let facts = context.tools.agents.get(key)
  if (!facts) {
    facts = readUserAgent(agent, hints)
    context.tools.agents.set(key, facts)
  }
  const add = (name: string, value: { [key: string]: Json } | undefined) => {
    if (value && !Object.hasOwn(event.contexts, name))
      event.contexts[name] = { ...value, type: name === 'client_os' ? 'os' : name }
  }
  add('browser', facts.browser)
  // An operating system from the SDK is the program's own. The visitor's goes to `client_os`.
  const os = event.contexts['os']
  add(os && os['name'] !== facts.os?.name ? 'client_os' : 'os', facts.os)
  if (facts.device?.model) add('device', facts.device)
}

/** Only browsers send their own user agent. Server SDKs send the name of their HTTP library. */
function senderAgent(context: Context): string {
  return /^(?:Mozilla|Opera)\//.test(context.head.userAgent) ? context.head.userAgent : ''
}
