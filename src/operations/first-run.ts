import type { Auth } from '../auth/auth.ts'
import { scopes } from '../auth/may.ts'
import { MishapError } from '../base/errors.ts'
import { checkName, freeSlug, slugOf } from '../store/meta/database/names.ts'
import type { Organization, Person, Project } from '../store/meta/meta.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'
import { dsnOf } from '../wire/dsn.ts'
import type { PublishesKeys } from './keys.ts'
import { type AddsProjects, createProject, ensureProject } from './projects.ts'
import { ensureSelfProject } from './self-project.ts'
import { createOrganizationToken, createToken } from './tokens.ts'

type BootstrapRequest = {
  org: string
  project: string
  platform: string
  email: string
  password: string
  name?: string
  /** Also creates an organization token for builds. */
  ciToken?: boolean
}
type BootstrapResult = {
  organization: { id: number; slug: string }
  project: { id: number; slug: string }
  dsn: string
  token: string
  ciToken?: string
}

type FirstMeta = AddsProjects &
  MetaWith<'organizations.organizationBySlug' | 'organizations.createOrganization' | 'organizations.memberOf'>

async function ensurePerson(auth: Auth, request: BootstrapRequest): Promise<Person> {
  if (!(await auth.personByEmail(request.email))) {
    return auth.createPerson({
      name: request.name ?? request.email.split('@')[0] ?? request.email,
      email: request.email,
      password: request.password,
      names: [request.org],
    })
  }
  const { person, cookies } = await auth.signIn({
    email: request.email,
    password: request.password,
    headers: new Headers(),
  })
  // This only checks the password, so end the session that it created.
  await auth.signOut(new Headers({ cookie: cookies.map((cookie) => cookie.split(';')[0]).join('; ') }))
  return person
}

async function ensureOrganization(meta: FirstMeta, person: Person, slug: string, name: string): Promise<Organization> {
  const found = await meta.organizations.organizationBySlug(slug)
  if (!found) return meta.organizations.createOrganization({ slug, name, ownerUserId: person.id })
  await demandAdmin(meta, found, person)
  return found
}

async function demandAdmin(
  meta: MetaWith<'organizations.memberOf'>,
  organization: Organization,
  { id, email }: Pick<Person, 'id' | 'email'>,
): Promise<void> {
  const role = (await meta.organizations.memberOf(organization.id, id))?.role
  if (role !== 'owner' && role !== 'admin')
    throw new MishapError('AUTH_FORBIDDEN', {
      detail: `${email} is not an owner or admin of the organization "${organization.slug}".`,
    })
}

/**
 * Creates or finds owner, organization, project and key. The token "bootstrap" is always new, because secrets are not
 * stored. `url`: the instance's address, for the DSN. Throws AUTH_FAILED when the person exists with another password,
 * AUTH_FORBIDDEN when they are no admin of the organization, VALIDATION for invalid names, e-mail or password.
 */
export async function bootstrap(
  deps: {
    meta: FirstMeta & MetaWith<'projects.keysOf' | 'people.tokensOf' | 'people.tokensOfOrganization'>
    auth: Auth
    url: string
  },
  request: BootstrapRequest,
): Promise<BootstrapResult> {
  const { meta, auth, url } = deps
  // Check both names before anything is created.
  const slugs = {
    organization: slugOf(request.org, 'org', 'org'),
    project: slugOf(request.project, 'project', 'project'),
  }
  for (const name of [request.org, request.project]) checkName(name)
  const account = await auth.personByEmail(request.email)
  const existing = await meta.organizations.organizationBySlug(slugs.organization)
  // Check this before anything is created: a refused command must not leave an account.
  if (existing) await demandAdmin(meta, existing, { id: account?.id ?? '', email: request.email })
  const person = await ensurePerson(auth, request)
  const organization = await ensureOrganization(meta, person, slugs.organization, request.org)
  const existingProject = await meta.projects.projectBySlug(organization.id, slugs.project)
  const { project, key } = await ensureProject(meta, existingProject, {
    organizationId: organization.id,
    slug: slugs.project,
    name: request.project,
    platform: request.platform || null,
  })
  const tokenRequest = { name: 'bootstrap', scopes: [...scopes], organizationId: organization.id }
  const { secret: token } = await createToken({ auth, meta }, { person }, tokenRequest)
  return {
    organization: { id: organization.id, slug: organization.slug },
    project: { id: project.id, slug: project.slug },
    dsn: dsnOf(url, key),
    token,
    ...(request.ciToken
      ? { ciToken: (await createOrganizationToken({ auth, meta }, { person }, organization, 'bootstrap')).secret }
      : {}),
  }
}

/** The first account, organization and project, as entered on the setup screen. */
export type FirstRun = {
  name: string
  email: string
  password: string
  organization: string
  project: string
  platform: string | null
}

/**
 * Sets the installation up from the browser. Only one caller can do it. Throws CONFLICT while another caller does it or
 * when an account exists, VALIDATION for invalid names, e-mail or password.
 */
export function setUp(
  deps: PublishesKeys & {
    meta: FirstMeta & Parameters<typeof ensureSelfProject>[0]
    auth: Pick<Auth, 'setUp' | 'createPerson'>
    config: { selfReporting: boolean }
  },
  { name, email, password, organization: organizationName, ...first }: FirstRun,
): Promise<{ organization: Organization; project: Project }> {
  const { meta, auth, config } = deps
  return auth.setUp(async () => {
    const names = [organizationName]
    const person = await auth.createPerson({ name: name.trim(), email, password, names }, { first: true })
    const slug = await freeSlug(
      organizationName,
      'org',
      async (text) => (await meta.organizations.organizationBySlug(text)) !== undefined,
    )
    const organization = await meta.organizations.createOrganization({
      slug,
      name: organizationName,
      ownerUserId: person.id,
    })
    // Create the project for Mishap's own errors first: its slug is still free. `createProject` publishes both keys.
    if (config.selfReporting) await ensureSelfProject(meta, organization.id)
    const value = { organizationId: organization.id, name: first.project, platform: first.platform }
    return { organization, project: await createProject(deps, value) }
  })
}
