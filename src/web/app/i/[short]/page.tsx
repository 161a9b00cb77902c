import { notFound, redirect } from 'next/navigation'
import { shortPath } from '../../../panels/search/jump.ts'
import { demandActor } from '../../../server/session.ts'

/** Short link of an issue, such as /i/WEB-42. */
export default async function ShortRoute({ params }: { params: Promise<{ short: string }> }) {
  const { short } = await params
  const actor = await demandActor(`/i/${short}`)
  redirect((await shortPath(actor, decodeURIComponent(short))) ?? notFound())
}
