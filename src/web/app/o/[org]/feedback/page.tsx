import './feedback.css'
import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { readableProjects } from '../../../../../auth/allowed-projects.ts'
import { feedbackStates } from '../../../../../domain/feedback-states.ts'
import { toRestFeedback } from '../../../../../query/issues/feedback.ts'
import { defaultProjects } from '../../../../../query/self-project.ts'
import { app } from '../../../../handle.ts'
import { FeedbackText } from '../../../../panels/feedback/feedback-text.tsx'
import { demandOrganization } from '../../../../server/session.ts'
import { Link } from '../../../../ui/link.tsx'
import { Rail } from '../../../../ui/rail.tsx'
import { EmptyState } from '../../../../ui/states.tsx'
import { SortForm } from './sort-form.tsx'

const pageMax = 50

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('people'))('feedback') }
}

type Search = { status?: string | string[]; before?: string | string[] }

/** User feedback by state. `?before=` is the last row of the previous page. */
export default async function FeedbackPage({
  params,
  searchParams,
}: {
  params: Promise<{ org: string }>
  searchParams: Promise<Search>
}) {
  const { org } = await params
  const search = await searchParams
  const { actor, organization } = await demandOrganization(org, `/o/${org}/feedback`)
  const t = await getTranslations('people')
  const parts = app()
  const { auth, meta } = parts
  const projects = await readableProjects(parts, actor, organization)
  const projectIds = (await defaultProjects(meta, organization.id, projects)).map((project) => project.id)
  const state = feedbackStates.find((feedbackState) => feedbackState === search.status) ?? 'new'
  const beforeId =
    typeof search.before === 'string' && /^\d{1,15}$/.test(search.before) ? Number(search.before) : undefined
  const found = await meta.feedback.listFeedback({ projectIds, state, beforeId, max: pageMax + 1 })
  const rows = await toRestFeedback(parts, found.slice(0, pageMax))
  const counts = await meta.feedback.countFeedback(projectIds)
  const mayTriage = (await auth.may(actor, 'issue:triage', { organization })) === 'yes'
  const mayDelete = (await auth.may(actor, 'issue:delete', { organization })) === 'yes'
  const base = `/o/${organization.slug}`
  return (
    <div className="page max-w-[1080px]">
      <header className="page-head">
        <h1>{t('feedback')}</h1>
        <nav aria-label={t('states')} className="ml-auto flex gap-4">
          {feedbackStates.map((feedbackState) => (
            <Link
              key={feedbackState}
              href={`${base}/feedback?status=${feedbackState}`}
              {...(feedbackState === state
                ? { 'aria-current': 'page' as const, className: 'font-[550]' }
                : { className: 'link' })}
            >
              {t(`state_${feedbackState}`)} <span className="text-ink-3">{counts[feedbackState]}</span>
            </Link>
          ))}
        </nav>
      </header>
      <p className="mb-4 max-w-[72ch] text-ink-2">{t('feedbackIntro')}</p>
      {rows.length === 0 ? <EmptyState title={t('feedbackNone')}>{t('feedbackNoneTodo')}</EmptyState> : null}
      {rows.length > 0 ? (
        <table className="table feedback-table">
          <thead>
            <tr>
              <th scope="col">{t('messageColumn')}</th>
              <th scope="col">{t('issueColumn')}</th>
              {mayTriage ? (
                <th scope="col">
                  <span className="visually-hidden">{t('actionsColumn')}</span>
                </th>
              ) : null}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.id}>
                <td>
                  <FeedbackText organization={organization.slug} feedback={row} />
                </td>
                <td className="whitespace-nowrap">
                  <span className="flex items-center gap-2">
                    <Rail place={projects.findIndex(({ slug }) => slug === row.project.slug)} />
                    {row.issue ? (
                      <Link
                        className="link"
                        href={`${base}/issues/${row.issue.id}${row.eventID ? `/events/${row.eventID}` : ''}`}
                      >
                        {row.issue.shortId}
                      </Link>
                    ) : (
                      row.project.slug
                    )}
                  </span>
                </td>
                {mayTriage ? (
                  <td>
                    <SortForm organization={organization.slug} id={row.id} status={row.status} mayDelete={mayDelete} />
                  </td>
                ) : null}
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
      <nav className="mt-4 flex gap-4">
        {beforeId === undefined ? null : (
          <Link className="link" href={`${base}/feedback?status=${state}`}>
            {t('newest')}
          </Link>
        )}
        {found.length > pageMax ? (
          <Link className="link" href={`${base}/feedback?status=${state}&before=${rows.at(-1)?.id}`}>
            {t('older')}
          </Link>
        ) : null}
      </nav>
    </div>
  )
}
