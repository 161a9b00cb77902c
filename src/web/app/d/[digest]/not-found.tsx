import { DigestWait } from '../../../panels/error-links/digest-wait.tsx'
import { searchedPlaces } from '../../../panels/search/jump.ts'
import { actorHere } from '../../../server/session.ts'

/** Status 404 for a digest that no readable event has: what was searched, why it may be missing, and it is waited for. */
export default async function DigestNotSeen() {
  const actor = await actorHere()
  return actor ? <DigestWait places={searchedPlaces(actor)} /> : null
}
