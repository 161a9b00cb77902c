import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { getTranslations } from 'next-intl/server'
import { normalizeId } from '../../../../../../wire/ids.ts'
import { ComparePage } from '../../../../../panels/trace-page/compare-page.tsx'
import { loadComparison, loadTrace } from '../../../../../panels/trace-page/load.ts'
import { TracePage } from '../../../../../panels/trace-page/trace-page.tsx'
import { demandOrganization } from '../../../../../server/session.ts'
import { unlessAway } from '../../../../../server/unless-away.ts'

type Props = {
  params: Promise<{ org: string; id: string }>
  searchParams: Promise<Record<string, string | string[] | undefined>>
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { id } = await params
  return { title: `${(await getTranslations('trace'))('title')} ${id.slice(0, 8)}` }
}

/** A trace, or two of them side by side. The query string holds the selected span, the view, the search and the zoom. */
export default async function TraceRoute({ params, searchParams }: Props) {
  const { org, id } = await params
  const query = new URLSearchParams(
    Object.entries(await searchParams).flatMap(([key, value]) =>
      typeof value === 'string' ? [[key, value] as [string, string]] : [],
    ),
  )
  const here = await demandOrganization(org, `/o/${org}/traces/${id}${query.size > 0 ? `?${query}` : ''}`)
  const traceId = normalizeId(decodeURIComponent(id))
  if (!traceId) notFound()
  const other = normalizeId(query.get('compare') ?? undefined)
  if (other)
    return (
      <ComparePage
        key={`${traceId} ${other}`}
        organization={here.organization.slug}
        traceId={traceId}
        other={other}
        preloaded={await unlessAway(loadComparison(here, traceId, other, true))}
      />
    )
  const preloaded = await unlessAway(loadTrace(here, traceId))
  return (
    <TracePage
      key={traceId}
      organization={here.organization.slug}
      traceId={traceId}
      preloaded={preloaded}
      search={String(query)}
    />
  )
}
