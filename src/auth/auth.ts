import type { Issue, Organization, Person, Project, Role } from '../store/meta/meta.ts'

/** Who asks: a person with a login session, or a bearer token (which never exceeds its owner). */
export type Actor =
  | { kind: 'session'; person: Person }
  | {
      kind: 'token'
      person: Person
      organizationId: number | null
      scopes: string[]
      /** The organization's own: it works without the membership of the person who made it. */
      ofOrganization?: true
    }

/** What is asked for; each one maps to roles (docs/specification.md 6) and to the token scopes that allow it. */
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
  | 'instance:read'
  | 'instance:write'
  | 'release:read'
  | 'release:write'

export type Thing =
  | { organization: Organization }
  | { organization: Organization; project: Project }
  | { organization: Organization; project: Project; issue: Issue }
  | { instance: true }

/** 'hidden' answers 404 (as if it did not exist), 'no' and 'scope' answer 403. */
export type Verdict = 'yes' | 'no' | 'scope' | 'hidden'

type PasswordChange = { currentPassword: string; newPassword: string; endTokens: boolean }

/** One login of a person. `browser` and `system` are what the user agent says, null where it says nothing known. */
export type LoginSession = {
  id: string
  isCurrent: boolean
  userAgent: string
  browser: string | null
  system: string | null
  /** Where it was signed in from; '' when that is not known. */
  address: string
  createdMs: number
  /** To within five minutes. */
  lastUsedMs: number
}

/** Sign-in, sessions, tokens and permission: the one door. */
export type Auth = {
  /** Answers everything under /api/auth/. */
  handle(request: Request): Promise<Response>
  /** The actor of a request, from its session cookie or its bearer token; undefined when there is none. Throws AUTH_FAILED for a token that is not known. */
  actorOf(headers: Headers): Promise<Actor | undefined>
  may(actor: Actor, action: Action, thing: Thing): Verdict
  /** Throws NOT_FOUND, AUTH_FORBIDDEN or AUTH_TOKEN_SCOPE unless `may` says yes. */
  demand(actor: Actor, action: Action, thing: Thing): void
  /** Makes an account; `names` are those of its organization, which no password may be. VALIDATION with fields when e-mail or password break the rules of docs/specification.md 5; CONFLICT when the e-mail is taken, and when it was to be the `first` and is not. */
  createPerson(
    value: { name: string; email: string; password: string; names?: readonly string[] },
    options?: { first?: boolean },
  ): Promise<Person>
  personByEmail(email: string): Person | undefined
  /** Replaces the password, ends all login sessions and deletes the person's tokens. */
  resetPassword(email: string, password: string): Promise<void>
  /**
   * Changes the password of whoever is signed in, ends their other sessions and, where asked, their API tokens. Returns
   * the cookies of the session that goes on. Throws AUTH_REQUIRED, AUTH_LOCKED, AUTH_BUSY, VALIDATION (currentPassword, newPassword).
   */
  changePassword(headers: Headers, change: PasswordChange): Promise<{ cookies: string[] }>
  /** Counts a request for a reset link, whoever it is for. Throws AUTH_LOCKED. */
  countResetRequest(email: string, headers: Headers): void
  /** Makes a reset link's secret, good once and for an hour; undefined when nobody has the address or too many links are open. */
  startReset(email: string): { person: Person; secret: string } | undefined
  /** Whose password a link's secret sets; undefined when it is not good any more. */
  resetOf(secret: string): Person | undefined
  /** Sets a password by a link's secret, ends all sessions and, where asked, the API tokens. Throws NOT_FOUND, AUTH_BUSY, VALIDATION (password). */
  resetBySecret(secret: string, password: string, endTokens: boolean): Promise<void>
  /** The login sessions of whoever is signed in, the latest used first. Throws AUTH_REQUIRED; a token has no sessions. */
  sessionsOf(headers: Headers): Promise<LoginSession[]>
  /** Ends one of their sessions. Throws AUTH_REQUIRED, NOT_FOUND. */
  endSession(headers: Headers, id: string): Promise<void>
  /** Ends all of their sessions but the one that asks. Throws AUTH_REQUIRED. */
  endOtherSessions(headers: Headers): Promise<void>
  /** Signs in; `cookies` are Set-Cookie values. Throws AUTH_FAILED or AUTH_LOCKED. */
  signIn(value: { email: string; password: string; headers: Headers }): Promise<{ person: Person; cookies: string[] }>
  signOut(headers: Headers): Promise<{ cookies: string[] }>
  /** Makes a user token and returns its secret, shown once. */
  createToken(
    person: Person,
    name: string,
    scopes: string[],
    organizationId: number | null,
  ): { id: number; secret: string }
  /**
   * Makes a token of an organization for builds (scope org:ci) and returns its secret, shown once: clients read the
   * address of this installation and the organization from it.
   */
  createOrganizationToken(person: Person, name: string, organization: Organization): { id: number; secret: string }
  /** The one-time setup link's secret; undefined once somebody has an account. */
  setupSecret(): string | undefined
  /**
   * Runs the first run's work in the browser (the first account, organization, project), which only one may do. Throws
   * CONFLICT while somebody else is at it, and once somebody has an account.
   */
  setUp<Made>(work: () => Promise<Made>): Promise<Made>
}

export type { Role }
