import { DigestWait } from '../../../failures/digest-wait.tsx'
import { searchedPlaces } from '../../../issues/jump.ts'
import { actorHere } from '../../../session.ts'

/** Status 404 for a digest that no readable event has: what was searched, why it may be missing, and it is waited for. */
export default async function DigestNotSeen() {
  const actor = await actorHere()
  return actor ? <DigestWait places={searchedPlaces(actor)} /> : null
}
