import { notFound, redirect } from 'next/navigation'
import { tracePath } from '../../../panels/search/jump.ts'
import { demandActor } from '../../../server/session.ts'

type Props = {
  params: Promise<{ trace: string }>
  searchParams: Promise<Record<string, string | string[] | undefined>>
}

/** Short link of a trace, in whichever organization it is. The query string goes along: it holds span and zoom. */
export default async function TraceLink({ params, searchParams }: Props) {
  const { trace } = await params
  const query = new URLSearchParams(
    Object.entries(await searchParams).flatMap(([key, value]) =>
      typeof value === 'string' ? [[key, value] as [string, string]] : [],
    ),
  )
  const end = query.size > 0 ? `?${query}` : ''
  const actor = await demandActor(`/t/${trace}${end}`)
  const path = (await tracePath(actor, decodeURIComponent(trace))) ?? notFound()
  redirect(`${path}${end}`)
}
