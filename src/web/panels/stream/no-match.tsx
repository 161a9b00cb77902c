'use client'
import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useTranslations } from 'next-intl'
import type { RestIssue } from '../../../contract/issues.ts'
import { unmetKeys } from '../../../query/search.ts'
import { apiPage } from '../../client/api.ts'
import { useSharedScale } from '../../ui/chart/trend.tsx'
import { Button, buttonClass } from '../../ui/forms/controls.tsx'
import { Link } from '../../ui/link.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { IssueRow } from '../issue/issue-row.tsx'
import { useRowWords } from '../issue/row-words.ts'
import { isPlain, type ListParams, listQuery, type ProjectName, resolvedQuery } from '../search/list-params.ts'
import { jumpOf, termsOf, withoutTerm } from '../search/terms.ts'
import type { ParamChange } from '../search/use-list-params.ts'

type NoMatchProps = {
  organization: string
  params: ListParams
  projectIds: readonly string[]
  projects: readonly ProjectName[]
  change: (change: ParamChange) => void
  hrefOf: (issue: RestIssue) => string
  /** Recently resolved issues, if loaded with the document. */
  resolved: RestIssue[] | undefined
}

/** Removes one term and shows how many issues then match. The count loads after the button. */
function TermButton({
  organization,
  params,
  projectIds,
  index,
  text,
  change,
}: Pick<NoMatchProps, 'organization' | 'params' | 'projectIds' | 'change'> & { index: number; text: string }) {
  const t = useTranslations('issues.noMatch')
  const query = withoutTerm(params.q, index)
  const { data } = useQuery({
    queryKey: ['issues-count', organization, query, params, projectIds],
    queryFn: ({ signal }) =>
      apiPage<RestIssue>(`organizations/${organization}/issues/`, {
        query: { ...listQuery({ ...params, q: query }, projectIds), limit: 1 },
        signal,
      }),
    retry: false,
  })
  return (
    <Button compact onClick={() => change({ q: query })} title={t('remove', { term: text })}>
      <code>{text}</code>
      <X size={13} strokeWidth={1.75} aria-hidden="true" />
      {data?.hits === null || data?.hits === undefined ? null : (
        <span className="text-ink-3">{t('without', { count: data.hits })}</span>
      )}
    </Button>
  )
}

/** The empty list: onboarding without a project, resolved issues at inbox zero, else buttons to remove terms. */
export function NoMatch({ organization, params, projectIds, projects, change, hrefOf, resolved }: NoMatchProps) {
  const t = useTranslations('issues')
  const terms = termsOf(params.q)
  const jump = jumpOf(params.q)
  const unmet = unmetKeys(params.q)
  if (projects.length === 0) {
    return (
      <EmptyState title={t('noProject.title')}>
        <p>{t('noProject.todo')}</p>
        <Link className={buttonClass({ look: 'main' }, 'mt-4')} href={`/o/${organization}/projects/new`}>
          {t('noProject.action')}
        </Link>
      </EmptyState>
    )
  }
  if (isPlain(params))
    return (
      <AllResolved
        organization={organization}
        params={params}
        projects={projects}
        hrefOf={hrefOf}
        resolved={resolved}
      />
    )
  return (
    <EmptyState title={t('noMatch.title')}>
      {unmet.length > 0 ? <p>{t('noMatch.unmet', { count: unmet.length, keys: unmet.join(', ') })}</p> : null}
      <p>{t('noMatch.todo')}</p>
      <div className="mt-4 flex flex-wrap gap-2">
        {terms.length <= 12
          ? terms.map((term, index) =>
              term.kind === 'operator' ? null : (
                <TermButton
                  key={term.from}
                  organization={organization}
                  params={params}
                  projectIds={projectIds}
                  index={index}
                  text={term.text}
                  change={change}
                />
              ),
            )
          : null}
        {params.env ? (
          <Button compact onClick={() => change({ env: '' })}>
            {t('filters.environment')}: <code>{params.env}</code>
            <X size={13} strokeWidth={1.75} aria-hidden="true" />
          </Button>
        ) : null}
        {params.project ? (
          <Button compact onClick={() => change({ project: '' })}>
            {t('filters.project')}: <code>{params.project}</code>
            <X size={13} strokeWidth={1.75} aria-hidden="true" />
          </Button>
        ) : null}
        {params.range.kind === 'relative' && params.range.period === '90d' ? null : (
          <Button compact onClick={() => change({ t: '90d', from: null, to: null })}>
            {t('noMatch.wider')}
          </Button>
        )}
        {jump?.path.startsWith('/d/') ? (
          // No event has this digest yet. Its page explains why and keeps checking.
          <Link className={buttonClass({ compact: true })} href={jump.path}>
            {t('noMatch.digest')}
          </Link>
        ) : null}
      </div>
    </EmptyState>
  )
}

const none: readonly RestIssue[] = []

function AllResolved({
  organization,
  params,
  projects,
  hrefOf,
  resolved,
}: Pick<NoMatchProps, 'organization' | 'params' | 'projects' | 'hrefOf' | 'resolved'>) {
  const t = useTranslations('issues')
  const words = useRowWords()
  const { data, isPending } = useQuery({
    queryKey: ['issues-resolved', organization],
    queryFn: ({ signal }) =>
      apiPage<RestIssue>(`organizations/${organization}/issues/`, { query: resolvedQuery, signal }),
    ...(resolved ? { initialData: { rows: resolved, next: null, hits: null } } : {}),
    retry: false,
  })
  const rows = data?.rows ?? none
  const shared = useSharedScale(rows)
  if (isPending) return <div className="stream-blank" />
  const only = projects.length === 1 ? projects[0] : undefined
  return (
    <>
      <EmptyState title={rows.length ? t('allResolved.title') : t('noEvents.title')}>
        {rows.length ? (
          <p>{t('allResolved.todo')}</p>
        ) : (
          <p>{params.range.kind === 'relative' ? t('noEvents.todo') : t('noMatch.todo')}</p>
        )}
        {rows.length === 0 ? (
          <Link
            className={buttonClass({ look: 'main' }, 'mt-4')}
            href={only ? `/o/${organization}/projects/${only.slug}/setup` : `/o/${organization}/projects`}
          >
            {t('noEvents.action')}
          </Link>
        ) : null}
      </EmptyState>
      {rows.length ? (
        <ul className="issue-list issue-list-short" aria-label={t('allResolved.list')}>
          {rows.map((issue, index) => (
            <IssueRow
              key={issue.id}
              issue={issue}
              href={hrefOf(issue)}
              index={index}
              total={rows.length}
              isCursor={false}
              isSelected={false}
              words={words}
              shared={shared}
              place={projects.findIndex((project) => project.id === issue.project.id)}
            />
          ))}
        </ul>
      ) : null}
    </>
  )
}
