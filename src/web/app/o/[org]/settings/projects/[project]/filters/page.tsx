import { getTranslations } from 'next-intl/server'
import { inboundFilters } from '../../../../../../../../domain/filters.ts'
import { droppedOf } from '../../../../../../../../query/filters.ts'
import { app } from '../../../../../../../handle.ts'
import { type SettingsContext, settingsPage, settingsTitle } from '../settings-page.tsx'
import { FilterForm } from './filter-form.tsx'
import { Samples } from './filtered-events.tsx'

/** Maximum stored events to show per filter. */
const shownMax = 10

/** The project's inbound filters, the number of events each dropped in a week, and samples of them. */
async function Filters({ here: { actor, organization, project } }: SettingsContext) {
  const t = await getTranslations('filters')
  const { auth, meta, clock } = app()
  const mayWrite = (await auth.may(actor, 'project:write', { organization, project })) === 'yes'
  const dropped = await droppedOf(meta, project.id, clock.now())
  const samples = (
    await Array.fromAsync(inboundFilters, async ({ reason }) =>
      meta.projects.filteredEvents(project.id, reason, shownMax),
    )
  ).flat()
  return (
    <>
      <p className="mb-4 max-w-[72ch] text-ink-2">{t(mayWrite ? 'intro' : 'readOnly')}</p>
      {/* After saving, the new key resets the form to the saved values. */}
      <FilterForm
        key={project.rev}
        place={{ organization: organization.slug, project: String(project.id), revision: project.rev }}
        filters={await meta.projects.filtersOf(project.id)}
        dropped={Object.fromEntries(dropped)}
        mayWrite={mayWrite}
      />
      <Samples samples={samples} />
    </>
  )
}

export const generateMetadata = settingsTitle('filters')

export default settingsPage('filters', [{ id: 'filters', Component: Filters }])
