import { type BetterAuthOptions, betterAuth, type DBAdapter } from 'better-auth'
import { hashPassword, verifyPassword } from 'better-auth/crypto'
import { getAdapter } from 'better-auth/db/adapter'
import type { Clock } from '../base/clock.ts'
import { ownOrigins } from '../base/network.ts'
import type { Observe } from '../base/observe.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import type { AuthDatabase } from '../store/meta/people/people.ts'
import type { Hashing } from './hash-queue.ts'
import { passwordCharactersMax, passwordCharactersMin } from './passwords.ts'
import { hashTokens } from './session-tokens.ts'

const sessionDays = 30
const dayS = 86_400
/** A session in use records its time at this interval. The list of sessions shows it as the last use. */
const usedS = 300

export type AuthOptions = {
  meta: MetaStore
  /** Signs cookies. See loadSecrets. */
  secret: string
  /** Public address of Mishap. https makes cookies Secure. The path becomes the cookie path. */
  url: string
  clock: Clock
  observe: Observe
  /** Additional origins that can submit forms. */
  trustedOrigins?: string[]
  /** Replaces better-auth's scrypt (about 0.1 s per password). Tests use a fast hash. */
  hashing?: Hashing
}

/** scrypt in the thread pool of Node, never on the event loop. */
export const scrypt: Hashing = { hash: hashPassword, verify: verifyPassword }

export const originsOf = (options: Pick<AuthOptions, 'url' | 'trustedOrigins'>) => [
  ...ownOrigins(options.url),
  ...(options.trustedOrigins ?? []),
]

/** Settings of better-auth. Exported for the test that compares the committed schema with the schema of better-auth. */
export function betterAuthOptions(options: Omit<AuthOptions, 'meta' | 'clock'>, database: AuthDatabase) {
  return {
    database: { db: database.kysely, type: database.type, transaction: false },
    secret: options.secret,
    baseURL: new URL(options.url).origin,
    trustedOrigins: originsOf(options),
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      autoSignIn: false,
      minPasswordLength: passwordCharactersMin,
      maxPasswordLength: passwordCharactersMax,
      ...(options.hashing ? { password: options.hashing } : {}),
    },
    user: { modelName: 'auth_user' },
    session: { modelName: 'auth_session', expiresIn: sessionDays * dayS, updateAge: usedS },
    account: { modelName: 'auth_account' },
    verification: { modelName: 'auth_verification' },
    // attempts.ts counts for screens, API and /api/auth/. The counter of better-auth only covers its own routes.
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    advanced: {
      cookiePrefix: 'mishap',
      useSecureCookies: options.url.startsWith('https:'),
      defaultCookieAttributes: { httpOnly: true, sameSite: 'lax', path: new URL(options.url).pathname },
    },
    logger: {
      log: (level, sentence) =>
        options.observe[level === 'error' ? 'warn' : 'debug']({ from: 'better-auth' }, sentence),
    },
  } as const satisfies BetterAuthOptions
}

/** Opens better-auth on the meta store. */
export async function openBetter(options: AuthOptions) {
  const settings = betterAuthOptions(options, options.meta.people.authDatabase())
  const adapter = hashTokens(await getAdapter(settings))
  const { hash, verify } = options.hashing ?? scrypt
  const password: Hashing = {
    hash,
    // The password can change while this check waits in the queue. The session would outlive the change.
    verify: async (value) => (await verify(value)) && (await exists(adapter, value.hash)),
  }
  const emailAndPassword = { ...settings.emailAndPassword, password }
  return betterAuth({ ...settings, emailAndPassword, database: () => adapter })
}

/** Returns whether a hash is still a stored password. Hashes are unique. */
async function exists(adapter: DBAdapter, hash: string): Promise<boolean> {
  return (await adapter.findOne({ model: 'account', where: [{ field: 'password', value: hash }] })) !== null
}
export type Better = Awaited<ReturnType<typeof openBetter>>

export type Context = Awaited<Better['$context']>
