import { allowedProjects } from '../../../auth/allowed-projects.ts'
import { normalOf } from '../../../query/issues/event.ts'
import { app } from '../../handle.ts'
import type { IssueLoader } from '../loader.ts'
import type { DataOf } from '../panel.ts'
import { needsDoctor } from './needs-doctor.ts'
import type { doctor } from './panel.tsx'

/** Explains why the event's frames are not mapped, if the doctor has findings and the person may read them. */
export const loadDoctor: IssueLoader<DataOf<typeof doctor>> = {
  mayBeLate: true,
  async load({ actor, here, row, event }) {
    const { auth, doctor } = app()
    const { organization, project } = here
    const [stored, shown] = await Promise.all([row, event])
    if (!stored || !shown || !needsDoctor(shown) || (await auth.may(actor, 'event:read', here)) !== 'yes')
      return undefined
    const allowed = await allowedProjects(app(), actor, organization, 'release:read')
    const others = allowed.filter((candidate) => candidate.id !== project.id)
    return doctor.ofEvent({ organization, project, others }, normalOf(stored), stored.receivedMs)
  },
}
