import { randomBytes } from 'node:crypto'
import { type BetterAuthOptions, betterAuth } from 'better-auth'
import { hashPassword, verifyPassword } from 'better-auth/crypto'
import { getAdapter } from 'better-auth/db/adapter'
import { z } from 'zod'
import type { Clock } from '../clock.ts'
import { errorBody, MishapError } from '../errors.ts'
import type { Observe } from '../observe.ts'
import type { MetaStore, Person } from '../store/meta/meta.ts'
import { checkName } from '../store/meta/names.ts'
import { openAuthDatabase } from '../store/meta/people.ts'
import { type Attempts, createAttempts } from './attempts.ts'
import type { Action, Actor, Auth, Verdict } from './auth.ts'
import { createHashQueue, type Hashing } from './hash-queue.ts'
import { verdict } from './may.ts'
import { passwordCharactersMax, passwordCharactersMin, passwordFault } from './passwords.ts'
import { hashTokens } from './session-tokens.ts'

const sessionDays = 30
const dayS = 86_400
const emailCharactersMax = 254
/** A sign-in or a change of password; nothing under /api/auth/ is larger. */
const bodyCharactersMax = 10_000
/**
 * Browsers keep a cookie for 400 days at most. The session's own end, which slides with use, lies in the database;
 * a cookie of 30 days would end it 30 days after the sign-in, because page loads can't renew a cookie.
 */
const cookieS = 400 * dayS

/**
 * What better-auth may answer under /api/auth/; sign-up, in particular, is not among it. Its lists of sessions name them
 * by their tokens, which are hashes here: /api/0/users/me/sessions/ names them by ids.
 */
const routes = new Set(['POST /sign-in/email', 'POST /sign-out', 'GET /get-session', 'POST /change-password'])

export type AuthOptions = {
  meta: MetaStore
  /** The meta store's file: the auth_ tables lie beside what refers to them. */
  file: string
  /** Signs cookies; see loadSecrets. */
  secret: string
  /** The address under which people reach Mishap; https makes cookies Secure, a path is the cookies' path. */
  url: string
  clock: Clock
  observe: Observe
  /** Further origins that may send forms. */
  trustedOrigins?: string[]
  /** Another way to hash passwords than better-auth's scrypt (about 0.1 s each); tests take a quick one. */
  hashing?: Hashing
}

/** scrypt in node's pool of threads, never on the event loop. */
const scrypt: Hashing = { hash: hashPassword, verify: verifyPassword }

const originsOf = (options: Pick<AuthOptions, 'url' | 'trustedOrigins'>) => [
  new URL(options.url).origin,
  ...(options.trustedOrigins ?? []),
]

/** better-auth's settings. Exported for the test that holds the committed schema against what better-auth expects. */
export function betterAuthOptions(options: Omit<AuthOptions, 'meta' | 'clock' | 'file'>, database: unknown) {
  return {
    database: { db: database as never, type: 'sqlite', transaction: false },
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
    session: { modelName: 'auth_session', expiresIn: sessionDays * dayS, updateAge: dayS },
    account: { modelName: 'auth_account' },
    verification: { modelName: 'auth_verification' },
    // attempts.ts counts, for screens, API and /api/auth/ alike; better-auth's own counter sees only its own routes.
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    advanced: {
      cookiePrefix: 'mishap',
      useSecureCookies: options.url.startsWith('https:'),
      defaultCookieAttributes: { httpOnly: true, sameSite: 'lax', path: new URL(options.url).pathname },
    },
    logger: {
      log: (level, sentence) =>
        (level === 'error' ? options.observe.warn : options.observe.debug)({ from: 'better-auth' }, sentence),
    },
  } as const satisfies BetterAuthOptions
}

/** The client's address, as process main says it; '' when nothing did. */
const addressOf = (headers: Headers) => headers.get('x-forwarded-for')?.split(',')[0]?.trim() ?? ''

const lasting = (cookies: string[]) =>
  cookies.map((cookie) =>
    /^[^=;]*session_token=[^;]/.test(cookie) ? cookie.replace(/Max-Age=[1-9]\d*/i, `Max-Age=${cookieS}`) : cookie,
  )

const refusal = (field: string, sentence: string) =>
  new MishapError('VALIDATION', { detail: sentence, fields: { [field]: [sentence] } })

function checkEmail(email: string): string {
  const text = email.trim().toLowerCase()
  if (text.length > emailCharactersMax || !z.email().safeParse(text).success)
    throw refusal('email', `Use one e-mail address of at most ${emailCharactersMax} characters.`)
  return text
}

function checkPassword(password: string, names: readonly string[]): void {
  const fault = passwordFault(password, names)
  if (fault) throw refusal('password', fault)
}

/** What nobody of this address may take as a password. */
const namesAround = (meta: MetaStore, email: string): string[] => {
  const person = meta.personByEmail(email)
  const organizations = person ? meta.organizationsOf(person.id) : []
  return [email, ...organizations.flatMap(({ name, slug }) => [name, slug])]
}

const answer = (error: MishapError) =>
  Response.json(error.fields ?? errorBody(error), {
    status: error.status,
    headers: error.retryAfterS === undefined ? {} : { 'retry-after': String(error.retryAfterS) },
  })

/** Counts a try as failed until it is known to be none. Throws AUTH_LOCKED. */
function demandTry(attempts: Attempts, email: string, address: string): void {
  const waitS = attempts.waitS(email, address)
  if (waitS > 0)
    throw new MishapError('AUTH_LOCKED', { detail: `Too many attempts. Try again in ${waitS} s.`, retryAfterS: waitS })
  attempts.failed(email, address)
}

async function open(options: AuthOptions) {
  const database = openAuthDatabase(options.file)
  const settings = betterAuthOptions(options, database.kysely)
  const adapter = hashTokens(await getAdapter(settings))
  return { better: betterAuth({ ...settings, database: () => adapter }), close: database.close }
}
type Better = Awaited<ReturnType<typeof open>>['better']

/** What a password's check needs: who tries too often, and room in the queue. */
type Guard = { attempts: Attempts; queue: { demandRoom(): void } }

/**
 * A try with a password: counted as failed until the answer is known. `isWrong` tells whether the password was the fault.
 * Throws AUTH_LOCKED and AUTH_BUSY.
 */
async function guarded(
  { attempts, queue }: Guard,
  [email, address]: [string, string],
  work: () => Promise<Response>,
  isWrong: (response: Response) => Promise<boolean> | boolean,
): Promise<Response> {
  demandTry(attempts, email, address)
  const isCounted = { yes: false }
  try {
    queue.demandRoom()
    const response = await work()
    isCounted.yes = await isWrong(response)
    if (response.ok) attempts.succeeded(email, address)
    return response
  } finally {
    if (!isCounted.yes) attempts.undo(email, address)
  }
}

const isWrongPassword = async (response: Response): Promise<boolean> => {
  if (response.ok) return false
  const body = z.object({ code: z.string() }).safeParse(parse(await response.clone().text())).data
  return body?.code === 'INVALID_PASSWORD'
}

/** Changes the password of whoever is signed in, and ends their other sessions. */
async function changePassword(better: Better, guard: Guard, meta: MetaStore, request: Request, text: string) {
  const session = await better.api.getSession({ headers: request.headers })
  const body = z.record(z.string(), z.unknown()).safeParse(parse(text)).data ?? {}
  const email = session?.user.email ?? ''
  checkPassword(typeof body.newPassword === 'string' ? body.newPassword : '', namesAround(meta, email))
  const forward = () =>
    better.handler(
      new Request(request.url, {
        ...{ method: 'POST', headers: request.headers },
        body: JSON.stringify({ ...body, revokeOtherSessions: true }),
      }),
    )
  if (!session) return forward()
  return guarded(guard, [email, addressOf(request.headers)], forward, isWrongPassword)
}

/** Answers /api/auth/: a closed list of better-auth's routes, with our limits and our rule for passwords in front. */
async function handle(
  better: Better,
  guard: Guard,
  meta: MetaStore,
  origins: string[],
  request: Request,
): Promise<Response> {
  const path = new URL(request.url).pathname.replace(/^\/api\/auth/, '').replace(/\/$/, '')
  if (!routes.has(`${request.method} ${path}`)) throw new MishapError('NOT_FOUND')
  if (request.method === 'GET') return better.handler(request)
  // Main checks origins too; here it holds for whoever else serves this handler. better-auth skips its own check at times.
  const origin = request.headers.get('origin')
  if (origin === null ? request.headers.has('cookie') : !origins.includes(origin)) throw new MishapError('AUTH_ORIGIN')
  const text = await request.text()
  if (text.length > bodyCharactersMax) throw refusal('body', `Use at most ${bodyCharactersMax} characters.`)
  const forward = () =>
    better.handler(new Request(request.url, { method: 'POST', headers: request.headers, body: text }))
  if (path === '/change-password') return withLasting(await changePassword(better, guard, meta, request, text))
  if (path !== '/sign-in/email') return forward()
  const body = z.object({ email: z.string() }).safeParse(parse(text)).data
  const email = (body?.email ?? '').trim().toLowerCase()
  const isWrong = (response: Response) => response.status === 401
  return withLasting(await guarded(guard, [email, addressOf(request.headers)], forward, isWrong))
}

/** An answer whose session cookie lasts as long as a browser keeps it. */
function withLasting(response: Response): Response {
  if (!response.ok) return response
  const headers = new Headers(response.headers)
  headers.delete('set-cookie')
  for (const cookie of lasting(response.headers.getSetCookie())) headers.append('set-cookie', cookie)
  return new Response(response.body, { status: response.status, headers })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text === '' ? '{}' : text)
  } catch {
    return undefined
  }
}

type Context = Awaited<Better['$context']>

/** Making accounts and replacing passwords: server-side only, whatever /api/auth/ is asked. */
function accounts(context: Context, meta: MetaStore): Pick<Auth, 'createPerson' | 'resetPassword'> {
  return {
    createPerson: async (value, { first = false } = {}) => {
      const name = checkName(value.name)
      const email = checkEmail(value.email)
      checkPassword(value.password, [email, ...(value.names ?? [])])
      const hash = await context.password.hash(value.password)
      // Hashing takes a tenth of a second, in which the command may have made somebody.
      if (first && !meta.isEmpty()) throw setUpAlready()
      const taken = () =>
        new MishapError('CONFLICT', {
          detail: 'Somebody has an account with this e-mail.',
          fields: { email: ['Somebody has an account with this e-mail.'] },
        })
      const found = await context.internalAdapter.findUserByEmail(email, { includeAccounts: true })
      if (found && found.accounts.length > 0) throw taken()
      // A user without an account is what a crash between these two inserts left: it is finished here.
      const user =
        found?.user ??
        (await context.internalAdapter
          .createUser({ name, email, emailVerified: false }, { method: 'email-password' })
          .catch(() => undefined))
      if (!user) throw taken()
      await context.internalAdapter.linkAccount({
        userId: user.id,
        providerId: 'credential',
        accountId: user.id,
        password: hash,
      })
      return { id: user.id, name: user.name, email: user.email }
    },
    resetPassword: async (email, password) => {
      checkPassword(password, namesAround(meta, email))
      const person = meta.personByEmail(email)
      if (!person) throw new MishapError('NOT_FOUND', { detail: 'Nobody has an account with this e-mail.' })
      await context.internalAdapter.updatePassword(person.id, await context.password.hash(password))
      await context.internalAdapter.deleteUserSessions(person.id)
      // Whoever took the password may have made tokens with it.
      for (const token of meta.tokensOf(person.id)) meta.deleteToken(token.id)
    },
  }
}

/** `sntrys_` with what a client has to know in base64, and 32 random bytes: the form that clients look for. */
function organizationSecret(url: string, org: string, nowMs: number): string {
  const told = Buffer.from(JSON.stringify({ iat: nowMs / 1000, url, region_url: url, org })).toString('base64')
  return `sntrys_${told}_${randomBytes(32).toString('base64').replace(/=+$/, '')}`
}

function organizationTokens(meta: MetaStore, url: string, clock: Clock): Auth['createOrganizationToken'] {
  return (person, name, organization) => {
    const nowMs = clock.now()
    const secret = organizationSecret(url, organization.slug, nowMs)
    const value = { name, userId: person.id, organizationId: organization.id, scopes: ['org:ci'], secret, nowMs }
    return { id: meta.createToken(value).id, secret }
  }
}

/** Reads who asks: a bearer token wins over a cookie. */
async function actorOf(better: Better, meta: MetaStore, headers: Headers): Promise<Actor | undefined> {
  const bearer = /^bearer\s+(\S+)\s*$/i.exec(headers.get('authorization') ?? '')?.[1]
  if (bearer !== undefined) {
    const token = meta.tokenBySecret(bearer)
    const person = token && meta.personById(token.userId)
    if (!token || !person) throw new MishapError('AUTH_FAILED')
    const { organizationId, scopes } = token
    return {
      ...{ kind: 'token', person, organizationId, scopes },
      ...(token.ofOrganization ? { ofOrganization: true } : {}),
    }
  }
  if (!headers.get('cookie')?.includes('session_token=')) return undefined
  const session = await better.api.getSession({ headers })
  return session
    ? { kind: 'session', person: { id: session.user.id, name: session.user.name, email: session.user.email } }
    : undefined
}

function makeSetupSecret(meta: MetaStore): string {
  const secret = randomBytes(24).toString('base64url')
  meta.setValue('setup_secret', secret)
  return secret
}

const setUpAlready = () => new MishapError('CONFLICT', { detail: 'Mishap is set up already.', causes: ['Sign in.'] })

/** Lets one caller through at a time, and none once somebody has an account. */
function createSetUp(meta: MetaStore): Auth['setUp'] {
  let running = false
  return async (work) => {
    if (running)
      throw new MishapError('CONFLICT', {
        detail: 'Somebody else is setting Mishap up at this moment.',
        causes: ['Wait a moment and sign in with the account that they made.'],
      })
    if (!meta.isEmpty()) throw setUpAlready()
    running = true
    try {
      return await work()
    } finally {
      running = false
    }
  }
}

function demandYes(found: Verdict, action: Action): void {
  if (found === 'hidden') throw new MishapError('NOT_FOUND')
  if (found === 'no') throw new MishapError('AUTH_FORBIDDEN')
  if (found === 'scope')
    throw new MishapError('AUTH_TOKEN_SCOPE', {
      detail: `You do not have permission to perform this action: the token's scopes do not allow ${action}.`,
    })
}

/** Signs in for the server's own screens. */
function createSignIn(better: Better, { attempts, queue }: Guard): Auth['signIn'] {
  return async ({ email, password, headers }) => {
    const account = email.trim().toLowerCase()
    const address = addressOf(headers)
    demandTry(attempts, account, address)
    try {
      queue.demandRoom()
    } catch (error) {
      attempts.undo(account, address)
      throw error
    }
    const failed = () => new MishapError('AUTH_FAILED', { detail: 'E-mail or password is wrong.' })
    const result = await better.api
      .signInEmail({ body: { email: account, password }, headers, returnHeaders: true })
      .catch((error: unknown) => {
        const status = error instanceof Error && 'statusCode' in error ? error.statusCode : 500
        if (status === 401 || status === 400) throw failed()
        attempts.undo(account, address)
        throw error
      })
    attempts.undo(account, address)
    attempts.succeeded(account, address)
    const { user } = result.response
    return {
      person: { id: user.id, name: user.name, email: user.email },
      cookies: lasting(result.headers.getSetCookie()),
    }
  }
}

/**
 * Opens sign-in, sessions, tokens and permission over better-auth. The schema is meta's (its migrations make the auth_ tables),
 * so the meta store must have been opened on the same file before. `close` ends its database connection.
 */
export async function createAuth(options: AuthOptions): Promise<Auth & { close(): void }> {
  const { meta, clock } = options
  const queue = createHashQueue(options.hashing ?? scrypt)
  const { better, close } = await open({ ...options, hashing: queue })
  const context = await better.$context
  const attempts = createAttempts(clock)
  const guard: Guard = { attempts, queue }
  const may: Auth['may'] = (actor, action, thing) => verdict(meta, actor, action, thing)

  return {
    ...accounts(context, meta),
    handle: async (request) => {
      try {
        return await handle(better, guard, meta, originsOf(options), request)
      } catch (error) {
        if (error instanceof MishapError) return answer(error)
        throw error
      }
    },
    actorOf: (headers) => actorOf(better, meta, headers),
    may,
    demand: (actor, action, thing) => demandYes(may(actor, action, thing), action),
    personByEmail: (email): Person | undefined => meta.personByEmail(email),
    signIn: createSignIn(better, guard),
    signOut: async (headers) => {
      const result = await better.api.signOut({ headers, returnHeaders: true })
      return { cookies: result.headers.getSetCookie() }
    },
    createToken: (person, name, tokenScopes, organizationId) => {
      const secret = `sntryu_${randomBytes(32).toString('hex')}`
      const token = meta.createToken({
        name,
        userId: person.id,
        organizationId,
        scopes: tokenScopes,
        secret,
        nowMs: clock.now(),
      })
      return { id: token.id, secret }
    },
    createOrganizationToken: organizationTokens(meta, options.url, clock),
    setupSecret: () => (meta.isEmpty() ? (meta.getValue('setup_secret') ?? makeSetupSecret(meta)) : undefined),
    setUp: createSetUp(meta),
    close,
  }
}
