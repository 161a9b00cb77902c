import { MishapError } from '../base/errors.ts'
import { checkName, slugOf } from '../store/meta/database/names.ts'
import type { Organization, Person, Project, ProjectKey } from '../store/meta/meta.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import { dsnOf } from '../wire/dsn.ts'
import type { Auth } from './auth.ts'
import { scopes } from './may.ts'

/** Name and slug of the project that Mishap reports its own errors to. */
const selfSlug = 'mishap'
/** Name of meta's value that holds that project's id: people may rename it. */
const selfValue = 'self_project'

type BootstrapRequest = {
  org: string
  project: string
  platform: string
  email: string
  password: string
  name?: string
  /** Also makes a token of the organization, for builds. */
  ciToken?: boolean
}
type BootstrapAnswer = {
  organization: { id: number; slug: string }
  project: { id: number; slug: string }
  dsn: string
  token: string
  ciToken?: string
}

/** The first active key of a project, or a new one. */
function ensureKey(meta: MetaStore, projectId: number): ProjectKey {
  return meta.keysOf(projectId).find((key) => key.active) ?? meta.createKey(projectId, 'Default')
}

/** The project that Mishap's own screens report to, whatever it is called by now; undefined before the first run. */
export function selfProject(meta: MetaStore, organizationId: number): Project | undefined {
  const kept = meta.getValue(selfValue)
  // Without the value it is of a version that went by the slug alone, which people may have changed since.
  const project =
    kept === undefined
      ? (meta.projectBySlug(organizationId, selfSlug) ?? meta.projectByOldSlug(organizationId, selfSlug))
      : meta.projectById(Number(kept))
  return project?.organizationId === organizationId ? project : undefined
}

/** Makes or finds the project that Mishap's own screens report to, in the given organization, with an active key. */
export function ensureSelfProject(meta: MetaStore, organizationId: number): { project: Project; key: ProjectKey } {
  const project =
    selfProject(meta, organizationId) ??
    meta.createProject({ organizationId, slug: selfSlug, name: 'Mishap', platform: 'javascript-nextjs' })
  meta.setValue(selfValue, String(project.id))
  return { project, key: ensureKey(meta, project.id) }
}

async function ensurePerson(auth: Auth, request: BootstrapRequest): Promise<Person> {
  if (!auth.personByEmail(request.email)) {
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
  // Only the password was to be checked: the session that came of it ends again.
  await auth.signOut(new Headers({ cookie: cookies.map((cookie) => cookie.split(';')[0]).join('; ') }))
  return person
}

function ensureOrganization(meta: MetaStore, person: Person, slug: string, name: string): Organization {
  const found = meta.organizationBySlug(slug)
  if (!found) return meta.createOrganization({ slug, name, ownerUserId: person.id })
  demandAdmin(meta, found, person)
  return found
}

function demandAdmin(meta: MetaStore, organization: Organization, { id, email }: Pick<Person, 'id' | 'email'>): void {
  const role = meta.memberOf(organization.id, id)?.role
  if (role !== 'owner' && role !== 'admin')
    throw new MishapError('AUTH_FORBIDDEN', {
      detail: `${email} is no owner or admin of the organization "${organization.slug}".`,
    })
}

/**
 * Makes or finds owner, organization, project and key; the token "bootstrap" is always a new one, because secrets are not kept.
 * `url` is the instance's address, for the DSN. Throws AUTH_FAILED when the person exists with another password,
 * AUTH_FORBIDDEN when the organization is somebody else's, VALIDATION for names, e-mail or password that break the rules.
 */
export async function bootstrap(
  parts: { meta: MetaStore; auth: Auth; url: string },
  request: BootstrapRequest,
): Promise<BootstrapAnswer> {
  const { meta, auth, url } = parts
  // Both names are read before anything is made.
  const slugs = {
    organization: slugOf(request.org, 'org', 'org'),
    project: slugOf(request.project, 'project', 'project'),
  }
  for (const name of [request.org, request.project]) checkName(name)
  const known = auth.personByEmail(request.email)
  const taken = meta.organizationBySlug(slugs.organization)
  // Before anything is made: a command that is refused must not leave an account.
  if (taken) demandAdmin(meta, taken, { id: known?.id ?? '', email: request.email })
  const person = await ensurePerson(auth, request)
  const organization = ensureOrganization(meta, person, slugs.organization, request.org)
  const project =
    meta.projectBySlug(organization.id, slugs.project) ??
    meta.createProject({
      organizationId: organization.id,
      slug: slugs.project,
      name: request.project,
      platform: request.platform || null,
    })
  const dsn = dsnOf(url, ensureKey(meta, project.id))
  const token = auth.createToken(person, 'bootstrap', [...scopes], organization.id).secret
  return {
    organization: { id: organization.id, slug: organization.slug },
    project: { id: project.id, slug: project.slug },
    dsn,
    token,
    ...(request.ciToken ? { ciToken: auth.createOrganizationToken(person, 'bootstrap', organization).secret } : {}),
  }
}
