import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { inboundFilters } from '../../../../../../../../domain/filters.ts'
import { droppedOf } from '../../../../../../../../query/filters.ts'
import { app } from '../../../../../../../handle.ts'
import { demandProject } from '../../../../../../../server/session.ts'
import { ProjectHead } from '../project-head.tsx'
import { FilterForm } from './filter-form.tsx'
import { Samples } from './filtered-events.tsx'

/** Kept events that are shown of each filter. */
const shownMax = 10

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('filters'))('title') }
}

/** What a project drops of what comes in: the switches and lists, what each dropped in a week, and a sample of it. */
export default async function FiltersPage({ params }: { params: Promise<{ org: string; project: string }> }) {
  const { org, project: slug } = await params
  const { actor, organization, project } = await demandProject(org, slug, `/o/${org}/settings/projects/${slug}/filters`)
  const t = await getTranslations('filters')
  const { auth, meta, clock } = app()
  const mayWrite = auth.may(actor, 'project:write', { organization, project }) === 'yes'
  const dropped = droppedOf(meta, project.id, clock.now())
  const samples = inboundFilters.flatMap(({ reason }) => meta.filteredEvents(project.id, reason, shownMax))
  return (
    <div className="page max-w-[860px]">
      <ProjectHead base={`/o/${organization.slug}`} project={project} here="filters" />
      <p className="mb-4 max-w-[72ch] text-ink-2">{t(mayWrite ? 'intro' : 'readOnly')}</p>
      {/* A saved form begins anew with what was saved. */}
      <FilterForm
        key={project.rev}
        place={{ organization: organization.slug, project: String(project.id), revision: project.rev }}
        filters={meta.filtersOf(project.id)}
        dropped={Object.fromEntries(dropped)}
        mayWrite={mayWrite}
      />
      <Samples samples={samples} />
    </div>
  )
}
