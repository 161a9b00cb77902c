import { notFound, redirect } from 'next/navigation'
import { tracePath } from '../../../panels/search/jump.ts'
import { demandActor } from '../../../server/session.ts'

/** Short link of a trace. Opens the issues that have events in it. */
export default async function TraceLink({ params }: { params: Promise<{ trace: string }> }) {
  const { trace } = await params
  const actor = await demandActor(`/t/${trace}`)
  redirect((await tracePath(actor, decodeURIComponent(trace))) ?? notFound())
}
