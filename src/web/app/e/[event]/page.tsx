import { notFound, redirect } from 'next/navigation'
import { eventPath } from '../../../panels/search/jump.ts'
import { demandActor } from '../../../server/session.ts'

/** Short link of an event by its id (32 hex characters, dashes allowed). */
export default async function EventLink({ params }: { params: Promise<{ event: string }> }) {
  const { event } = await params
  const actor = await demandActor(`/e/${event}`)
  redirect((await eventPath(actor, decodeURIComponent(event))) ?? notFound())
}
