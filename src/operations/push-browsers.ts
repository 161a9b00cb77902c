import { createHash } from 'node:crypto'
import type { Actor } from '../auth/auth.ts'
import { deviceOf } from '../auth/login-sessions.ts'
import type { Seal } from '../auth/seal.ts'
import type { Clock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'
import type { StoredBrowser } from '../store/meta/people/push-browsers.ts'

const browsersMax = 20
const endpointMax = 1000

type Deps = {
  meta: MetaWith<
    'pushBrowsers.addBrowser' | 'pushBrowsers.browsersOf' | 'pushBrowsers.browserById' | 'pushBrowsers.deleteBrowser'
  >
  seal: Seal
  clock: Pick<Clock, 'now'>
}

/** What a browser's `pushManager.subscribe()` returns, and its User-Agent. */
type BrowserText = { endpoint: string; p256dh: string; auth: string; userAgent: string }

/** Returns a name such as "Firefox on Linux". */
function agentName(userAgent: string): string {
  const { browser, system } = deviceOf(userAgent)
  return [browser ?? 'Browser', system].filter(Boolean).join(' on ').slice(0, 100)
}

const isKey = (text: string, bytes: number) => Buffer.from(text, 'base64url').length === bytes && /^[\w=-]+$/.test(text)

/** Stores a browser of the caller that wants push messages. Throws VALIDATION with fields. */
export async function addPushBrowser(deps: Deps, actor: Actor, text: BrowserText): Promise<StoredBrowser> {
  const { endpoint, p256dh, auth } = text
  const fields: Record<string, string[]> = {}
  // Each message checks again whether the address is allowed.
  if (endpoint.length > endpointMax || !URL.canParse(endpoint) || new URL(endpoint).protocol !== 'https:')
    fields.endpoint = ['The https address of a push service.']
  if (!isKey(p256dh, 65)) fields.p256dh = ['A point of the curve P-256 in base64url.']
  if (!isKey(auth, 16)) fields.auth = ['16 bytes in base64url.']
  if (Object.keys(fields).length) throw new MishapError('VALIDATION', { fields })
  if ((await deps.meta.pushBrowsers.browsersOf([actor.person.id])).length >= browsersMax)
    throw new MishapError('VALIDATION', { fields: { endpoint: [`At most ${browsersMax} browsers.`] } })
  return deps.meta.pushBrowsers.addBrowser({
    userId: actor.person.id,
    endpointHash: createHash('sha256').update(endpoint).digest('hex'),
    sealed: deps.seal.seal(JSON.stringify({ endpoint, p256dh, auth })),
    browser: agentName(text.userAgent),
    createdMs: deps.clock.now(),
  })
}

/** Removes a browser of the caller. Throws NOT_FOUND for one of another person. */
export async function removePushBrowser({ meta }: Pick<Deps, 'meta'>, actor: Actor, id: number): Promise<void> {
  const found = await meta.pushBrowsers.browserById(id)
  if (found?.userId !== actor.person.id) throw new MishapError('NOT_FOUND')
  await meta.pushBrowsers.deleteBrowser(id)
}
