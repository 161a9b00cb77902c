import type { Issue, Organization, Person, Project, Role } from '../store/meta/meta.ts'

/** The caller: a person with a login session, or a bearer token (which never exceeds its owner). */
export type Actor =
  | { kind: 'session'; person: Person }
  | {
      kind: 'token'
      person: Person
      organizationId: number | null
      scopes: string[]
      /** A token of the organization: it works even if its creator is no longer a member. */
      ofOrganization?: true
    }

/** Actions. Each maps to roles (docs/specification.md 6) and to the token scopes that allow it. */
export type Action =
  | 'organization:read'
  | 'organization:write'
  | 'project:read'
  | 'project:create'
  | 'project:write'
  | 'key:write'
  | 'issue:read'
  | 'issue:triage'
  | 'issue:own'
  | 'search:own'
  | 'dashboard:read'
  | 'dashboard:write'
  | 'event:read'
  | 'member:read'
  | 'team:read'
  | 'member:write'
  | 'member:leave'
  | 'issue:delete'
  | 'organization:delete'
  | 'project:delete'
  | 'token:own'
  | 'token:organization'
  | 'status:read'
  | 'channel:read'
  | 'channel:write'
  | 'integration:write'
  | 'alert:read'
  | 'alert:write'
  | 'instance:read'
  | 'instance:write'
  | 'release:read'
  | 'release:write'
  | 'query:sql'

export type Thing =
  | { organization: Organization }
  | { organization: Organization; project: Project }
  | { organization: Organization; project: Project; issue: Issue }
  | { instance: true }

/** 'hidden' answers 404 (as if it did not exist). 'no' and 'scope' answer 403. */
export type Verdict = 'yes' | 'no' | 'scope' | 'hidden'

type PasswordChange = { currentPassword: string; newPassword: string; endTokens: boolean }

/** A login session of a person. `browser` and `system` come from the user agent; null if unknown. */
export type LoginSession = {
  id: string
  isCurrent: boolean
  userAgent: string
  browser: string | null
  system: string | null
  /** Address of the sign-in; '' if unknown. */
  address: string
  createdMs: number
  /** Accurate to five minutes. */
  lastUsedMs: number
}

/** Sign-in, sessions, tokens and permissions. */
export type Auth = {
  /** Answers all requests under /api/auth/. */
  handle(request: Request): Promise<Response>
  /** Returns the actor of the session cookie or bearer token, else undefined. Throws AUTH_FAILED for unknown tokens. */
  actorOf(headers: Headers): Promise<Actor | undefined>
  may(actor: Actor, action: Action, thing: Thing): Promise<Verdict>
  /** Throws NOT_FOUND, AUTH_FORBIDDEN or AUTH_TOKEN_SCOPE unless `may` returns yes. */
  demand(actor: Actor, action: Action, thing: Thing): Promise<void>
  /**
   * Creates an account. Names of its organization (`names`) are refused as password. Throws VALIDATION with fields by
   * docs/specification.md 5. Throws CONFLICT if the e-mail is taken, or for `first` if any account exists.
   */
  createPerson(
    value: { name: string; email: string; password: string; names?: readonly string[] },
    options?: { first?: boolean },
  ): Promise<Person>
  personByEmail(email: string): Promise<Person | undefined>
  /** Replaces the password, ends all login sessions and deletes the person's tokens. */
  resetPassword(email: string, password: string): Promise<void>
  /**
   * Changes the password of the signed-in person, ends other sessions and, with `endTokens`, deletes API tokens.
   * Returns the new cookies. Throws AUTH_REQUIRED, AUTH_LOCKED, AUTH_BUSY, VALIDATION (currentPassword, newPassword).
   */
  changePassword(headers: Headers, change: PasswordChange): Promise<{ cookies: string[] }>
  /** Counts a request for a reset link, for any address. Throws AUTH_LOCKED. */
  countResetRequest(email: string, headers: Headers): void
  /** Creates a one-time reset secret, valid for an hour. Returns undefined for unknown addresses or too many links. */
  startReset(email: string): Promise<{ person: Person; secret: string } | undefined>
  /** Returns the person whose password a secret resets; undefined if the secret is no longer valid. */
  resetOf(secret: string): Promise<Person | undefined>
  /** Resets a password, ends sessions and optionally API tokens. Throws NOT_FOUND, AUTH_BUSY, VALIDATION (password). */
  resetBySecret(secret: string, password: string, endTokens: boolean): Promise<void>
  /** Returns the login sessions of the signed-in person by last use. Tokens have none. Throws AUTH_REQUIRED. */
  sessionsOf(headers: Headers): Promise<LoginSession[]>
  /** Ends one session of the signed-in person. Throws AUTH_REQUIRED, NOT_FOUND. */
  endSession(headers: Headers, id: string): Promise<void>
  /** Ends all sessions of the signed-in person except the current session. Throws AUTH_REQUIRED. */
  endOtherSessions(headers: Headers): Promise<void>
  /** Signs in. `cookies` are Set-Cookie values. Throws AUTH_FAILED or AUTH_LOCKED. */
  signIn(value: { email: string; password: string; headers: Headers }): Promise<{ person: Person; cookies: string[] }>
  signOut(headers: Headers): Promise<{ cookies: string[] }>
  /** Creates a user token and returns its secret, which is shown once. */
  createToken(
    person: Person,
    name: string,
    scopes: string[],
    organizationId: number | null,
  ): Promise<{ id: number; secret: string }>
  /** Creates a token for builds (scope org:ci). Its secret, shown once, contains our address and the organization. */
  createOrganizationToken(
    person: Person,
    name: string,
    organization: Organization,
  ): Promise<{ id: number; secret: string }>
  /** The secret of the one-time setup link; undefined once an account exists. */
  setupSecret(): Promise<string | undefined>
  /**
   * Runs the work of the first run in the browser (first account, organization, project). Only one caller can run it.
   * Throws CONFLICT while another caller runs it, and once an account exists.
   */
  setUp<Made>(work: () => Promise<Made>): Promise<Made>
}

export type { Role }
