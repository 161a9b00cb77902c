'use server'
import { revalidatePath } from 'next/cache'
import { getTranslations } from 'next-intl/server'
import type { Action, Actor } from '../../../../../../auth/auth.ts'
import { trackerKinds } from '../../../../../../domain/alerts/trackers.ts'
import { deleteCodeMapping, putCodeMapping } from '../../../../../../operations/code-mappings.ts'
import {
  changeTracker,
  connectTracker,
  disconnectTracker,
  renewTrackerSecret,
  testTracker,
} from '../../../../../../operations/trackers.ts'
import type { Organization } from '../../../../../../store/meta/meta.ts'
import type { Integration } from '../../../../../../store/meta/trackers/integrations.ts'
import { attempt, type FormState, failureOf, textOf } from '../../../../../client/form.ts'
import { app } from '../../../../../handle.ts'
import { demandOrganization } from '../../../../../server/session.ts'

/** `secret`: a webhook's new secret, shown once. `notice`: the answer of the service. */
export type TrackerState = FormState & { secret: string | null; notice: string | null }

type Done = { secret?: string; notice?: string }

/** Runs `work` if the person may do `action` here, and refreshes the page. */
async function change(
  data: FormData,
  action: Action,
  work: (organization: Organization, actor: Actor) => Promise<Done>,
): Promise<TrackerState> {
  const path = `/o/${textOf(data, 'organization')}/settings/integrations`
  const { actor, organization } = await demandOrganization(textOf(data, 'organization'), path)
  let done: Done = {}
  const state = await attempt(data, async () => {
    await app().auth.demand(actor, action, { organization })
    done = await work(organization, actor)
    return undefined
  })
  if (state.done) revalidatePath(path)
  return { ...state, secret: done.secret ?? null, notice: done.notice ?? null }
}

/** Runs `work` on the connection of the form. */
function changeOne(
  data: FormData,
  work: (integration: Integration, actor: Actor) => Promise<Done>,
): Promise<TrackerState> {
  return change(data, 'integration:write', async (organization, actor) => {
    const integration = await app().meta.trackers.integrationById(Number(textOf(data, 'integration')) || 0)
    if (integration?.organizationId !== organization.id)
      return { notice: (await getTranslations('integrations'))('gone') }
    return work(integration, actor)
  })
}

/** Connects a tracker. */
export async function connectAction(_before: TrackerState, data: FormData): Promise<TrackerState> {
  return change(data, 'integration:write', async ({ id }, actor) => {
    const kind = trackerKinds.find((candidate) => candidate === textOf(data, 'kind')) ?? 'github'
    const text = {
      kind,
      name: textOf(data, 'name'),
      url: textOf(data, 'url'),
      target: textOf(data, 'target'),
      email: textOf(data, 'email'),
      token: textOf(data, 'token'),
      secret: textOf(data, 'secret') || undefined,
      syncState: textOf(data, 'syncState') === 'on',
      syncComments: textOf(data, 'syncComments') === 'on',
    }
    const { secret } = await connectTracker(app(), id, text, actor)
    return { secret }
  })
}

/** Changes the options of a connection, and its token and secret if they are given. */
export async function changeAction(_before: TrackerState, data: FormData): Promise<TrackerState> {
  return changeOne(data, async (integration, actor) => {
    const change = {
      token: textOf(data, 'token') || undefined,
      secret: textOf(data, 'secret') || undefined,
      syncState: textOf(data, 'syncState') === 'on',
      syncComments: textOf(data, 'syncComments') === 'on',
    }
    await changeTracker(app(), integration, change, actor)
    return {}
  })
}

/** Replaces the secret of the webhook and shows it. */
export async function renewAction(_before: TrackerState, data: FormData): Promise<TrackerState> {
  return changeOne(data, async (integration) => ({ secret: await renewTrackerSecret(app(), integration) }))
}

/** Asks the service and shows its answer. */
export async function testAction(_before: TrackerState, data: FormData): Promise<TrackerState> {
  return changeOne(data, async (integration) => {
    const t = await getTranslations('integrations')
    try {
      return { notice: t('testOk', { account: await testTracker(app(), integration) }) }
    } catch (error) {
      const failure = failureOf(error)
      if (!failure) throw error
      return { notice: t('testFailed', { error: failure.message }) }
    }
  })
}

/** Deletes a connection with its links. */
export async function deleteAction(_before: TrackerState, data: FormData): Promise<TrackerState> {
  return changeOne(data, async ({ id }) => {
    await disconnectTracker(app(), id)
    return {}
  })
}

/** Adds or changes a code mapping. */
export async function mappingAction(_before: TrackerState, data: FormData): Promise<TrackerState> {
  return change(data, 'release:write', async (organization, actor) => {
    const { auth, meta } = app()
    const project = await meta.projects.projectBySlug(organization.id, textOf(data, 'project'))
    await auth.demand(actor, 'release:write', project ? { organization, project } : { organization })
    if (!project) return { notice: (await getTranslations('integrations'))('gone') }
    await putCodeMapping(app(), project, Number(textOf(data, 'repository')) || 0, {
      stackRoot: textOf(data, 'stackRoot').slice(0, 400),
      sourceRoot: textOf(data, 'sourceRoot').slice(0, 400),
      defaultBranch: textOf(data, 'branch'),
    })
    return {}
  })
}

/** Deletes a code mapping. */
export async function deleteMappingAction(_before: TrackerState, data: FormData): Promise<TrackerState> {
  return change(data, 'release:write', async ({ id }) => {
    await deleteCodeMapping(app(), id, Number(textOf(data, 'mapping')) || 0)
    return {}
  })
}
