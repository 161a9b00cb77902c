import { comparisonMarkdown } from '../../../../../../../query/traces/compare.ts'
import { normalizeId } from '../../../../../../../wire/ids.ts'
import { app } from '../../../../../../handle.ts'
import { loadComparison, readTraceMarkdown } from '../../../../../../panels/trace-page/load.ts'
import { actorHere, organizationFor } from '../../../../../../server/session.ts'
import { codeOf } from '../../../../../../server/unless-away.ts'

const headers = {
  'cache-control': 'private, no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
}

const refuse = (status: number, code: string, detail: string): Response =>
  Response.json({ detail, code, causes: [] }, { status, headers })

/** A trace as Markdown, or two of them compared. The path of the trace with the suffix md is rewritten to this route. */
export async function GET(
  request: Request,
  { params }: { params: Promise<{ org: string; id: string }> },
): Promise<Response> {
  const { org, id } = await params
  const actor = await actorHere()
  if (!actor) return refuse(401, 'AUTH_REQUIRED', 'Authentication credentials were not provided.')
  const here = await organizationFor(actor, org)
  const traceId = normalizeId(decodeURIComponent(id))
  if (!here || !traceId) return refuse(404, 'NOT_FOUND', 'The requested resource does not exist')
  const named = new URL(request.url).searchParams.get('compare') ?? ''
  const other = named === '' ? undefined : normalizeId(named)
  // One trace alone would pass for a comparison without differences.
  if (named !== '' && !other) return refuse(404, 'NOT_FOUND', 'The trace to compare with does not exist')
  try {
    const url = `${app().config.url}/o/${here.organization.slug}/traces/${traceId}`
    const comparison = other ? await loadComparison(here, traceId, other, false) : undefined
    const text = comparison
      ? comparisonMarkdown(comparison, `${url}?compare=${other}`)
      : await readTraceMarkdown(here, traceId, url)
    return new Response(text, {
      headers: { ...headers, 'content-type': 'text/markdown; charset=utf-8' },
    })
  } catch (error) {
    const code = codeOf(error)
    if (code === 'STORE_UNAVAILABLE' || code === 'QUERY_TIMEOUT')
      return refuse(503, code, 'The events store is down. Ingest continues.')
    throw error
  }
}
