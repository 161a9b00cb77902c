import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { Clock } from '../base/clock.ts'
import { errorBody, MishapError } from '../base/errors.ts'
import { checkName } from '../store/meta/database/names.ts'
import type { Person } from '../store/meta/meta.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import { checkEmail, checkPassword, refusal } from './account-checks.ts'
import { createAttempts } from './attempts.ts'
import type { Action, Actor, Auth, Verdict } from './auth.ts'
import { type AuthOptions, type Better, type Context, openBetter, originsOf, scrypt } from './better.ts'
import type { AuthContext } from './context.ts'
import { lasting, withLasting } from './cookies.ts'
import { withDatabaseAnswer, withDatabaseCause } from './database-cause.ts'
import { addressOf, demandTry, type Guard, guarded } from './guarded.ts'
import { createHashQueue } from './hash-queue.ts'
import { createLoginSessions } from './login-sessions.ts'
import { verdict } from './may.ts'
import { changePassword, createPasswords, createResets } from './password-change.ts'

/** Sign-ins and password changes are the largest bodies under /api/auth/. */
const bodyCharactersMax = 10_000
/**
 * Allowed better-auth routes under /api/auth/, without sign-up. Its session lists identify sessions by token, and the
 * stored tokens are hashes. /api/0/users/me/sessions/ uses ids instead.
 */
const routes = new Set(['POST /sign-in/email', 'POST /sign-out', 'GET /get-session', 'POST /change-password'])

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const answer = (error: MishapError) =>
  Response.json(error.fields ?? errorBody(error), {
    status: error.status,
    headers: error.retryAfterS === undefined ? {} : { 'retry-after': String(error.retryAfterS) },
  })

/** Ends a session. It ignores the body and the content type of the request. */
function signOut(better: Better, request: Request): Promise<Response> {
  const headers = new Headers(request.headers)
  headers.set('content-type', 'application/json')
  headers.delete('content-length')
  return better.handler(new Request(request.url, { method: 'POST', headers, body: '{}' }))
}

/** Answers /api/auth/: a fixed list of better-auth routes, behind our limits and password rules. */
async function handle(auth: AuthContext, origins: string[], request: Request): Promise<Response> {
  const { better, guard } = auth
  const path = new URL(request.url).pathname.replace(/^\/api\/auth/, '').replace(/\/$/, '')
  if (!routes.has(`${request.method} ${path}`)) throw new MishapError('NOT_FOUND')
  if (request.method === 'GET') return better.handler(request)
  // Also covers callers other than the main process, which checks origins too. better-auth sometimes skips its check.
  const origin = request.headers.get('origin')
  if (origin === null ? request.headers.has('cookie') : !origins.includes(origin)) throw new MishapError('AUTH_ORIGIN')
  if (path === '/sign-out') return signOut(better, request)
  const text = await request.text()
  if (text.length > bodyCharactersMax) throw refusal('body', `Use at most ${bodyCharactersMax} characters.`)
  const forward = () =>
    better.handler(new Request(request.url, { method: 'POST', headers: request.headers, body: text }))
  if (path === '/change-password') return withLasting(await changePassword(auth, request.headers, parse(text)))
  if (path !== '/sign-in/email') return forward()
  const body = z.object({ email: z.string() }).safeParse(parse(text)).data
  const email = (body?.email ?? '').trim().toLowerCase()
  const isWrong = (response: Response) => response.status === 401
  return withLasting(await guarded(guard, [email, addressOf(request.headers)], forward, isWrong))
}

/** Creates accounts. Only the server can call this: /api/auth/ does not offer it. */
function accounts(context: Context, meta: MetaStore): Pick<Auth, 'createPerson'> {
  return {
    createPerson: async (value, { first = false } = {}) => {
      const name = checkName(value.name)
      const email = checkEmail(value.email)
      await checkPassword(value.password, [email, ...(value.names ?? [])])
      const hash = await context.password.hash(value.password)
      // Hashing takes a tenth of a second. Meanwhile the command can have created an account.
      if (first && !(await meta.people.isEmpty())) throw setUpAlready()
      const slugs = () =>
        new MishapError('CONFLICT', {
          detail: 'An account with this e-mail already exists.',
          fields: { email: ['An account with this e-mail already exists.'] },
        })
      const found = await context.internalAdapter.findUserByEmail(email, { includeAccounts: true })
      if (found && found.accounts.length > 0) throw slugs()
      // A user without an account is left by a crash between these two inserts. Complete it here.
      const user =
        found?.user ??
        (await context.internalAdapter
          .createUser({ name, email, emailVerified: false }, { method: 'email-password' })
          .catch(() => undefined))
      if (!user) throw slugs()
      await context.internalAdapter.linkAccount({
        userId: user.id,
        providerId: 'credential',
        accountId: user.id,
        password: hash,
      })
      return { id: user.id, name: user.name, email: user.email }
    },
  }
}

/** Returns `sntrys_`, base64 data for clients, and 32 random bytes: the format that clients expect. */
function organizationSecret(url: string, org: string, nowMs: number): string {
  const payload = Buffer.from(JSON.stringify({ iat: nowMs / 1000, url, region_url: url, org })).toString('base64')
  return `sntrys_${payload}_${randomBytes(32).toString('base64').replace(/=+$/, '')}`
}

function organizationTokens(meta: MetaStore, url: string, clock: Clock): Auth['createOrganizationToken'] {
  return async (person, name, organization) => {
    const nowMs = clock.now()
    const secret = organizationSecret(url, organization.slug, nowMs)
    const value = { name, userId: person.id, organizationId: organization.id, scopes: ['org:ci'], secret, nowMs }
    return { id: (await meta.people.createToken(value)).id, secret }
  }
}

/** Returns the caller. A bearer token takes precedence over a cookie. */
async function actorOf(better: Better, meta: MetaStore, headers: Headers): Promise<Actor | undefined> {
  const bearer = /^bearer\s+(\S+)\s*$/i.exec(headers.get('authorization') ?? '')?.[1]
  if (bearer !== undefined) {
    const token = await meta.people.tokenBySecret(bearer)
    const person = token && (await meta.people.personById(token.userId))
    if (!token || !person) throw new MishapError('AUTH_FAILED')
    const { organizationId, scopes } = token
    return {
      kind: 'token',
      person,
      organizationId,
      scopes,
      ...(token.ofOrganization ? { ofOrganization: true } : {}),
    }
  }
  if (!headers.get('cookie')?.includes('session_token=')) return undefined
  const session = await withDatabaseCause(meta, () => better.api.getSession({ headers }))
  return session
    ? { kind: 'session', person: { id: session.user.id, name: session.user.name, email: session.user.email } }
    : undefined
}

/** Returns the secret of the setup link. The first call that finds none stores one; parallel calls share it. */
function createSetupSecret(meta: MetaStore): Auth['setupSecret'] {
  const findOrCreate = async () => {
    const stored = await meta.values.getValue('setup_secret')
    if (stored !== undefined) return stored
    const secret = randomBytes(24).toString('base64url')
    await meta.values.setValue('setup_secret', secret)
    return secret
  }
  let found: Promise<string> | undefined
  return async () => {
    if (!(await meta.people.isEmpty())) return undefined
    found ??= findOrCreate().catch((error: unknown) => {
      found = undefined
      throw error
    })
    return found
  }
}

const setUpAlready = () => new MishapError('CONFLICT', { detail: 'Mishap is already set up.', causes: ['Sign in.'] })

/** Lets one caller through at a time, and none once an account exists. */
function createSetUp(meta: MetaStore): Auth['setUp'] {
  let running = false
  return async (work) => {
    if (running)
      throw new MishapError('CONFLICT', {
        detail: 'Somebody else is setting up Mishap right now.',
        causes: ['Wait a moment and sign in with the account that they created.'],
      })
    // Set before the first await, so that a second caller cannot pass meanwhile.
    running = true
    try {
      if (!(await meta.people.isEmpty())) throw setUpAlready()
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
      queue.demandCapacity()
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
 * Opens sign-in, sessions, tokens and permissions on better-auth. The migrations of the meta store create the auth_
 * tables, so the meta store must be open on the same file.
 */
export async function createAuth(options: AuthOptions): Promise<Auth> {
  const { meta, clock } = options
  const queue = createHashQueue(options.hashing ?? scrypt)
  const better = await openBetter({ ...options, hashing: queue })
  const context = await better.$context
  const attempts = createAttempts(clock)
  const guard: Guard = { attempts, queue }
  const parts: AuthContext = { better, context, guard, meta, clock }
  const signIn = createSignIn(better, guard)
  const may: Auth['may'] = (actor, action, thing) => verdict(meta, actor, action, thing)

  return {
    ...accounts(context, meta),
    ...createPasswords(parts),
    ...createResets(parts),
    ...createLoginSessions(parts),
    handle: async (request) => {
      try {
        return await withDatabaseAnswer(meta, () => handle(parts, originsOf(options), request))
      } catch (error) {
        if (error instanceof MishapError) return answer(error)
        throw error
      }
    },
    actorOf: (headers) => actorOf(better, meta, headers),
    may,
    demand: async (actor, action, thing) => demandYes(await may(actor, action, thing), action),
    personByEmail: (email): Promise<Person | undefined> => meta.people.personByEmail(email),
    signIn: (...words) => withDatabaseCause(meta, () => signIn(...words)),
    signOut: async (headers) => {
      const result = await withDatabaseCause(meta, () => better.api.signOut({ headers, returnHeaders: true }))
      return { cookies: result.headers.getSetCookie() }
    },
    createToken: async (person, name, tokenScopes, organizationId) => {
      const secret = `sntryu_${randomBytes(32).toString('hex')}`
      const token = await meta.people.createToken({
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
    setupSecret: createSetupSecret(meta),
    setUp: createSetUp(meta),
  }
}
