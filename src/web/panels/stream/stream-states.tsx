'use client'
import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { useEffect, useState } from 'react'
import { systemClock } from '../../../base/clock.ts'
import type { RestIssue } from '../../../contract/issues.ts'
import { unmetKeys } from '../../../query/search.ts'
import { ApiError, apiPage } from '../../client/api.ts'
import { Button, buttonClass } from '../../ui/controls.tsx'
import { Link } from '../../ui/link.tsx'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { jumpOf, termsOf, withoutTerm } from '../search/terms.ts'
import { IssueRow, useRowWords } from './issue-row.tsx'
import type { ParamChange } from './stream-params.ts'
import { isPlain, listQuery, type ProjectName, resolvedQuery, type StreamParams } from './stream-query.ts'

/** Rows to come. Nothing for the first 150 ms: an answer that is fast must not flicker. */
export function StreamLoading() {
  const t = useTranslations('common')
  const [late, setLate] = useState(false)
  useEffect(() => systemClock.after(150, () => setLate(true)), [])
  if (!late) return <div className="stream-blank" />
  return (
    <div className="stream-blank" role="status" aria-label={t('loading')}>
      {[62, 48, 71, 55, 66, 43, 58, 69].map((percent) => (
        <div key={percent} className="issue-skeleton">
          <span style={{ width: `${percent * 0.6}%` }} />
          <span style={{ width: `${percent * 0.35}%` }} />
        </div>
      ))}
    </div>
  )
}

/** The list can't be had now: says why; what is on screen stays. `retrying`: it is asked for again by itself. */
export function StreamFailed({ error, retrying, retry }: { error: Error; retrying?: boolean; retry?: () => void }) {
  const t = useTranslations('issues.failed')
  const common = useTranslations('common')
  const code = error instanceof ApiError ? error.code : 'INTERNAL'
  if (retrying) {
    return (
      <div className="stream-away" role="status">
        {code === 'STORE_UNAVAILABLE' ? t('away') : code === 'NETWORK' ? t('network') : error.message} {t('again')}
      </div>
    )
  }
  // Of what the list asks for only a project of the address can be missing.
  const isGone = code === 'NOT_FOUND'
  const causes = error instanceof ApiError ? error.causes.join(' ') : undefined
  return (
    <ErrorState title={isGone ? t('project') : error.message} todo={isGone ? t('projectTodo') : causes} code={code}>
      {retry ? <Button onClick={retry}>{common('retry')}</Button> : null}
    </ErrorState>
  )
}

type NoMatchProps = {
  organization: string
  params: StreamParams
  projectIds: readonly string[]
  projects: readonly ProjectName[]
  change: (change: ParamChange) => void
  hrefOf: (issue: RestIssue) => string
  /** The last resolved ones, where they came with the document. */
  resolved: RestIssue[] | undefined
}

/** How many match without one term; fetched on its own, the button stands at once. */
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

/** Nothing to show: onboarding without a project, the last resolved ones at inbox zero, else each term to take out. */
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
          // Nothing has this digest yet: its page says what to look at, and looks again.
          <Link className={buttonClass({ compact: true })} href={jump.path}>
            {t('noMatch.digest')}
          </Link>
        ) : null}
      </div>
    </EmptyState>
  )
}

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
  const rows = data?.rows ?? []
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
              offsetPx={index * 52}
            />
          ))}
        </ul>
      ) : null}
    </>
  )
}
