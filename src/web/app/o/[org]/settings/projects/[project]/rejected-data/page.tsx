import { settingsPage, settingsTitle } from '../settings-page.tsx'
import { RequestLog } from './request-log.tsx'

export const generateMetadata = settingsTitle('ingest')

/** The last requests of a project's keys with the outcome of each item, to find out where an event went. */
export default settingsPage(
  'ingest',
  [
    {
      id: 'requests',
      Component: ({ here: { organization, project } }) => (
        <RequestLog organization={organization.slug} project={project.slug} />
      ),
    },
  ],
  { isWide: true },
)
