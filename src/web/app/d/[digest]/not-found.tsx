import { DigestWait } from '../../../panels/error-links/digest-wait.tsx'
import { searchedOrganizations } from '../../../panels/search/jump.ts'
import { actorHere } from '../../../server/session.ts'

/** Status 404 for a digest without a readable event. Shows the searched places and waits for the event. */
export default async function DigestNotSeen() {
  const actor = await actorHere()
  return actor ? <DigestWait organizations={await searchedOrganizations(actor)} /> : null
}
