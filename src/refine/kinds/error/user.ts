import { isIP } from 'node:net'
import type { NormalUser } from '../../../domain/event.ts'
import type { Json } from '../../../wire/json.ts'
import type { Context } from '../../pipeline/context.ts'
import type { Draft } from '../../pipeline/draft.ts'
import {
  addError,
  bounded,
  boundedObject,
  type MetaNotes,
  object,
  own,
  safeKey,
  scalar,
  text,
} from '../../pipeline/value.ts'

const known = new Set(['id', 'email', 'username', 'name', 'ip_address', 'geo', 'data', 'segment'])

/** Reads a user. Ids can be numbers; unknown keys go into `data`. The step `userAddress` resolves `{{auto}}`. */
export function readUser(to: MetaNotes, value: unknown): NormalUser | undefined {
  const loose = object(value) ?? (typeof value === 'string' || typeof value === 'number' ? { id: value } : undefined)
  if (!loose) return undefined
  to.path.push('user')
  const out: NormalUser = {}
  const limits = { id: 128, email: 75, username: 128, name: 128 } as const
  for (const key of ['id', 'email', 'username', 'name'] as const) {
    const found = text(to, key, own(loose, key), limits[key])?.trim()
    if (found) out[key] = found
  }
  const address = scalar(own(loose, 'ip_address'))?.trim()
  if (address && (address === '{{auto}}' || isIP(address))) out.ip_address = address
  else if (address) addError(to, 'invalid_data', 'ip_address', address, 'expected an address')
  const geo = object(own(loose, 'geo'))
  if (geo) {
    const places = ['city', 'country_code', 'region', 'subdivision'].flatMap((key) => {
      const found = text(to, key, own(geo, key), 128)
      return found ? [[key, found] as const] : []
    })
    if (places.length) out.geo = Object.fromEntries(places)
  }
  readRest(to, loose, out)
  to.path.pop()
  return Object.keys(out).length ? out : undefined
}

function readRest(to: MetaNotes, loose: { [key: string]: unknown }, out: NormalUser): void {
  const data: { [key: string]: Json } = { ...boundedObject(to, 'data', own(loose, 'data'), { depth: 5, bytes: 4096 }) }
  let left = 50
  for (const key in loose) {
    if (known.has(key) || loose[key] === null || left-- <= 0) continue
    data[safeKey(key)] = bounded(to, safeKey(key), loose[key], { depth: 5, bytes: 1024 })
  }
  const segment = text(to, 'segment', own(loose, 'segment'), 128)
  if (segment) data['segment'] = segment
  if (Object.keys(data).length) out.data = data
}

/**
 * Sets a missing or `{{auto}}` address. `sdk.settings.infer_ip`: `never` gives none, `auto` the sender's. Otherwise
 * `{{auto}}` gives the sender's; a missing one gives REMOTE_ADDR, else the sender's for browsers and Apple devices.
 */
export function userAddress(draft: Draft, context: Context): void {
  const { event, received } = draft
  const settings = object(own(object(own(received, 'sdk')) ?? {}, 'settings'))
  const rule = settings && own(settings, 'infer_ip')
  const sender = isIP(context.head.clientAddress) ? context.head.clientAddress : undefined
  const ipAddress = event.user?.ip_address
  if (ipAddress && ipAddress !== '{{auto}}') return
  let address: string | undefined
  if (rule === 'never') address = undefined
  else if (ipAddress === '{{auto}}' || rule === 'auto') address = sender
  else {
    const remote = scalar(event.request?.env?.['REMOTE_ADDR'])
    if (remote && isIP(remote)) address = remote
    else if (['javascript', 'cocoa', 'objc'].includes(event.platform)) address = sender
  }
  if (address) event.user = { ...event.user, ip_address: address }
  else if (event.user) {
    delete event.user.ip_address
    if (!Object.keys(event.user).length) delete event.user
  }
}
