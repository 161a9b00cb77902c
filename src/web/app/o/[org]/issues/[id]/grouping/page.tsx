import type { Metadata } from 'next'
import { notFound, redirect } from 'next/navigation'
import { getTranslations } from 'next-intl/server'
import { eventRowOf } from '../../../../../../../query/events.ts'
import { groupingInfoOf, issueHashesOf, similarTo } from '../../../../../../../query/issues/grouping.ts'
import { app } from '../../../../../../handle.ts'
import { Hashes } from '../../../../../../panels/grouping/hashes.tsx'
import { Similar } from '../../../../../../panels/grouping/similar.tsx'
import { GroupingTrees } from '../../../../../../panels/grouping/tree.tsx'
import { findIssue, type IssueHere } from '../../../../../../server/issues.ts'
import { demandOrganization } from '../../../../../../server/session.ts'
import { codeOf, unlessAway } from '../../../../../../server/unless-away.ts'
import { Link } from '../../../../../../ui/link.tsx'
import { PlainText } from '../../../../../../ui/plain-text.tsx'
import { Section } from '../../../../../../ui/section.tsx'
import { EmptyState } from '../../../../../../ui/states.tsx'

type Props = { params: Promise<{ org: string; id: string }>; searchParams: Promise<{ event?: string | string[] }> }

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('grouping'))('title') }
}

/** The requested event or the newest; undefined if the issue has no events. */
async function rowOf({ issue }: IssueHere, eventId: string | undefined) {
  try {
    return await eventRowOf(app(), issue, eventId ?? 'latest')
  } catch (error) {
    if (codeOf(error) !== 'NOT_FOUND') throw error
    return eventId === undefined ? undefined : notFound()
  }
}

async function load(here: IssueHere, eventId: string | undefined) {
  const row = await rowOf(here, eventId)
  const [hashes, similar] = await Promise.all([
    issueHashesOf(app(), here.issue),
    row ? similarTo(app(), here.issue) : [],
  ])
  return { row, hashes, similar, info: row && (await groupingInfoOf(app(), row)) }
}

/** Explains grouping: the trees of one event, the issue's hashes, and similar issues. */
export default async function GroupingPage({ params, searchParams }: Props) {
  const [{ org, id }, { event }] = await Promise.all([params, searchParams])
  const { actor, organization } = await demandOrganization(org, `/o/${org}/issues/${id}/grouping`)
  const here = (await findIssue(actor, organization, decodeURIComponent(id))) ?? notFound()
  const { issue } = here
  // After a merge, redirect to the issue that contains this issue.
  const reference = decodeURIComponent(id).toUpperCase()
  const base = `/o/${organization.slug}/issues/${encodeURIComponent(issue.shortId)}`
  if (reference !== issue.shortId && reference !== String(issue.id)) redirect(`${base}/grouping`)
  const t = await getTranslations('grouping')
  const canTriage = (await app().auth.may(actor, 'issue:triage', here)) === 'yes'
  const loaded = await unlessAway(load(here, typeof event === 'string' ? event : undefined))
  return (
    <div className="page max-w-[1040px]">
      <header className="page-head">
        <h1>{t('title')}</h1>
        <span className="min-w-0 text-ink-3">
          <PlainText text={issue.title} charactersMax={120} />
        </span>
        <Link className="link ml-auto" href={base}>
          {t('back')} <code>{issue.shortId}</code>
        </Link>
      </header>
      {loaded === undefined ? (
        <EmptyState title={t('title')}>{t('away')}</EmptyState>
      ) : (
        <>
          {loaded.info && loaded.row ? (
            <Section
              title={t('event')}
              note={`${loaded.row.eventId.slice(0, 8)} · ${t('version', { version: loaded.info.version })}`}
            >
              <p className="mb-2 max-w-[72ch] text-ink-2">{t('intro')}</p>
              <GroupingTrees info={loaded.info} />
            </Section>
          ) : (
            <EmptyState title={t('event')}>{t('empty')}</EmptyState>
          )}
          <Section title={t('hashes')}>
            <Hashes
              organization={organization.slug}
              issueId={String(issue.id)}
              hashes={loaded.hashes}
              canTriage={canTriage}
            />
          </Section>
          <Section title={t('similar')}>
            <Similar
              organization={organization.slug}
              issue={{ id: String(issue.id), shortId: issue.shortId }}
              similar={loaded.similar}
              canTriage={canTriage}
            />
          </Section>
        </>
      )}
    </div>
  )
}
