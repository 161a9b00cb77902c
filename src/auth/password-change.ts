import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import type { Clock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import { checkPassword, refusal, relatedNames } from './account-checks.ts'
import { networkOf } from './attempts.ts'
import type { Auth } from './auth.ts'
import type { AuthContext } from './context.ts'
import { lasting } from './cookies.ts'
import { addressOf, guarded } from './guarded.ts'

const hourMs = 3_600_000
/** Lifetime of a password reset link. */
export const resetMinutes = 60
export const resetMs = resetMinutes * 60_000
/** Maximum reset links per hour: for one account from one network, and from one network for all accounts. */
export const resetsPerAccountMax = 3
export const resetsPerNetworkMax = 10
/** Maximum open links per account from all networks, so that nobody can flood a mailbox. */
export const openResetsMax = 10
const namesMax = 10_000

const changeShape = z.object({
  currentPassword: z.string().catch(''),
  newPassword: z.string().catch(''),
  endTokens: z.boolean().catch(false),
})

async function isWrongPassword(response: Response): Promise<boolean> {
  if (response.ok) return false
  const body = z.object({ code: z.string() }).safeParse(await response.clone().json()).data
  return body?.code === 'INVALID_PASSWORD'
}

/** Deletes a person's own tokens. Tokens of organizations stay, so that builds continue. */
async function endOwnTokens(meta: MetaStore, userId: string): Promise<void> {
  for (const token of await meta.people.tokensOf(userId)) await meta.people.deleteToken(token.id)
}

/** Changes a signed-in person's password and ends other sessions. Throws VALIDATION, AUTH_LOCKED, AUTH_BUSY. */
export async function changePassword(auth: AuthContext, headers: Headers, input: unknown): Promise<Response> {
  const { better, guard, meta } = auth
  const session = await better.api.getSession({ headers })
  if (!session) throw new MishapError('AUTH_REQUIRED')
  const { currentPassword, newPassword, endTokens } = changeShape.catch(changeShape.parse({})).parse(input)
  const { id, email } = session.user
  await checkPassword(newPassword, await relatedNames(meta, email))
  const body = { currentPassword, newPassword, revokeOtherSessions: true }
  const work = () => better.api.changePassword({ body, headers, asResponse: true })
  const response = await guarded(guard, [email, addressOf(headers)], work, isWrongPassword)
  if (response.ok) {
    await meta.people.dropResets(id)
    if (endTokens) await endOwnTokens(meta, id)
  }
  return response
}

/** Password changes by the person and by the operator command. */
export function createPasswords(auth: AuthContext): Pick<Auth, 'changePassword' | 'resetPassword'> {
  const { context, meta } = auth
  return {
    changePassword: async (headers, change) => {
      const response = await changePassword(auth, headers, change).catch((error: unknown) => {
        const fields = error instanceof MishapError && error.code === 'VALIDATION' ? error.fields : undefined
        throw fields?.password ? refusal('newPassword', fields.password.join(' ')) : error
      })
      if (await isWrongPassword(response)) throw refusal('currentPassword', 'This is not your current password.')
      if (!response.ok)
        throw new MishapError('INTERNAL', { detail: `The password was not changed (${response.status}).` })
      return { cookies: lasting(response.headers.getSetCookie()) }
    },
    resetPassword: async (email, password) => {
      await checkPassword(password, await relatedNames(meta, email))
      const person = await meta.people.personByEmail(email)
      if (!person) throw new MishapError('NOT_FOUND', { detail: 'No account has this e-mail.' })
      await setPassword(auth, person.id, await context.password.hash(password))
      // A person who knew the old password can have created tokens with it.
      await endOwnTokens(meta, person.id)
    },
  }
}

/** Replaces a password. Ends all sessions and all links that reset the password. */
async function setPassword({ context, meta }: AuthContext, userId: string, hash: string): Promise<void> {
  await context.internalAdapter.updatePassword(userId, hash)
  await context.internalAdapter.deleteUserSessions(userId)
  await meta.people.dropResets(userId)
}

/** Counts per hour by name. Drops the least recently used names. */
function createHourly(clock: Clock, most: number) {
  const counts = new LRUCache<string, { count: number; endsMs: number }>({ max: namesMax })
  const found = (name: string) => {
    const count = counts.get(name)
    return count && count.endsMs > clock.now() ? count : undefined
  }
  return {
    waitMs: (name: string) => {
      const counter = found(name)
      return counter && counter.count >= most ? counter.endsMs - clock.now() : 0
    },
    add: (name: string) => {
      const counter = found(name)
      if (counter) counter.count += 1
      else counts.set(name, { count: 1, endsMs: clock.now() + hourMs })
    },
  }
}

/** Password reset links. No answer reveals whether an address has an account. */
export function createResets(
  auth: AuthContext,
): Pick<Auth, 'countResetRequest' | 'startReset' | 'resetOf' | 'resetBySecret'> {
  const { context, guard, meta, clock } = auth
  const pairs = createHourly(clock, resetsPerAccountMax)
  const networks = createHourly(clock, resetsPerNetworkMax)
  // Avoids hashing texts that cannot be secrets.
  const userOf = async (secret: string) =>
    /^[\w-]{43}$/.test(secret) ? await meta.people.resetBySecret(secret, clock.now()) : undefined
  const gone = () =>
    new MishapError('NOT_FOUND', { detail: 'This link is no longer valid.', causes: ['Ask for a new one.'] })
  return {
    countResetRequest: (email, headers) => {
      const network = networkOf(addressOf(headers))
      const pair = `${network} ${email.trim().toLowerCase()}`
      const waitS = Math.ceil(Math.max(pairs.waitMs(pair), networks.waitMs(network)) / 1000)
      if (waitS > 0)
        throw new MishapError('AUTH_LOCKED', {
          detail: `Too many links were requested. Try again in ${waitS} s.`,
          retryAfterS: waitS,
        })
      pairs.add(pair)
      networks.add(network)
    },
    startReset: async (email) => {
      const person = await meta.people.personByEmail(email)
      if (!person || (await meta.people.openResets(person.id, clock.now())) >= openResetsMax) return undefined
      const secret = randomBytes(32).toString('base64url')
      await meta.people.createReset({ userId: person.id, secret, nowMs: clock.now(), expiresMs: clock.now() + resetMs })
      return { person, secret }
    },
    resetOf: async (secret) => {
      const userId = await userOf(secret)
      return userId === undefined ? undefined : await meta.people.personById(userId)
    },
    resetBySecret: async (secret, password, endTokens) => {
      const userId = await userOf(secret)
      const person = userId === undefined ? undefined : await meta.people.personById(userId)
      if (!person) throw gone()
      await checkPassword(password, await relatedNames(meta, person.email))
      guard.queue.demandCapacity()
      const hash = await context.password.hash(password)
      // Hashing takes a while. Meanwhile the link can have been used.
      if ((await meta.people.consumeReset(secret, clock.now())) === undefined) throw gone()
      await setPassword(auth, person.id, hash)
      if (endTokens) await endOwnTokens(meta, person.id)
    },
  }
}
