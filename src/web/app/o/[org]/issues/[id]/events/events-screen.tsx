import { cookies } from 'next/headers'
import { notFound } from 'next/navigation'
import { getTranslations } from 'next-intl/server'
import type { Actor } from '../../../../../../../auth/auth.ts'
import type { RestEvent } from '../../../../../../../contract/events.ts'
import type { Page } from '../../../../../../../query/cursor.ts'
import { listEvents } from '../../../../../../../query/issues/event-list.ts'
import { rangeOf as spanOf } from '../../../../../../../query/range.ts'
import { withBase } from '../../../../../../base-path.ts'
import { failureOf } from '../../../../../../client/form.ts'
import { app } from '../../../../../../handle.ts'
import { ColumnChoice } from '../../../../../../panels/issue/column-choice.tsx'
import { differingColumns, offeredColumns, readColumns } from '../../../../../../panels/issue/event-columns.ts'
import { EventTable } from '../../../../../../panels/issue/event-list.tsx'
import { EventSearch } from '../../../../../../panels/issue/event-search.tsx'
import { listQuery, paramsOf } from '../../../../../../panels/search/list-params.ts'
import { environmentsOf } from '../../../../../../panels/search/load-environments.ts'
import { findIssue, type IssueHere } from '../../../../../../server/issues.ts'
import { demandOrganization } from '../../../../../../server/session.ts'
import { codeOf, unlessAway } from '../../../../../../server/unless-away.ts'
import { Link } from '../../../../../../ui/link.tsx'
import { PlainText } from '../../../../../../ui/plain-text.tsx'
import { EmptyState, ErrorState } from '../../../../../../ui/states.tsx'
import type { Search } from '../load.ts'

const rowsPerPage = 50

type Answer = { page: Page<RestEvent> | undefined; refused: string | undefined }

/** The events. Without a page: `refused` has the reason for an invalid query, else the store is unavailable. */
async function rowsOf(here: IssueHere, actor: Actor, search: URLSearchParams): Promise<Answer> {
  const deps = app()
  const params = paramsOf(search)
  const { environment = [], ...span } = listQuery(params, [])
  try {
    const { fromMs, toMs } = spanOf(span, deps.clock.now())
    const environments = environment.filter((name) => name !== '')
    const scope = { projectIds: [here.project.id], environments, fromMs, toMs }
    const page = await listEvents(deps, here.issue, {
      scope,
      query: search.get('q') ?? '',
      limit: rowsPerPage,
      meUserId: actor.person.id,
      cursor: search.get('cursor') ?? undefined,
    })
    return { page, refused: undefined }
  } catch (error) {
    const code = codeOf(error) ?? ''
    const failure = failureOf(error)
    if (failure && /^QUERY_(?:SYNTAX|TYPE|TOO_LONG)$|^VALIDATION$/.test(code))
      return { page: undefined, refused: Object.values(failure.fields).flat()[0] ?? failure.message }
    if (/^(STORE_UNAVAILABLE|QUERY_TIMEOUT)$/.test(code)) return { page: undefined, refused: undefined }
    throw error
  }
}

const addressOf = (path: string, search: URLSearchParams, change: Record<string, string | null>): string => {
  const next = new URLSearchParams(search)
  for (const [name, value] of Object.entries(change)) {
    if (value === null) next.delete(name)
    else next.set(name, value)
  }
  return next.size ? `${path}?${next}` : path
}

/** The columns of the URL, else the remembered ones, else those that differ. `columns=` asks for the last. */
async function chosenColumns(search: URLSearchParams, events: readonly RestEvent[]): Promise<string[]> {
  const kept = search.has('columns') ? search.get('columns') : (await cookies()).get('columns')?.value
  return readColumns(kept) ?? differingColumns(events)
}

type ToolsProps = {
  organization: string
  here: IssueHere
  path: string
  search: URLSearchParams
  events: readonly RestEvent[]
  columns: readonly string[]
}

/** The choice of columns, and all events of the search as CSV. */
async function TableTools({ organization, here, path, search, events, columns }: ToolsProps) {
  const t = await getTranslations('parts.columns')
  const { environment = [], ...span } = listQuery(paramsOf(search), [])
  const spanNames: readonly string[] = ['statsPeriod', 'start', 'end']
  const query = new URLSearchParams([
    ['query', search.get('q') ?? ''],
    ...environment.map((name) => ['environment', name]),
    ...Object.entries(span).flatMap(([name, value]) =>
      spanNames.includes(name) && typeof value === 'string' ? [[name, value]] : [],
    ),
  ])
  const offered = [...new Set([...offeredColumns(events), ...columns])]
  return (
    <div className="event-tools">
      <ColumnChoice
        key={columns.join()}
        offered={offered}
        shown={columns}
        path={path}
        params={[...search].filter(([name]) => name !== 'columns' && name !== 'cursor')}
        defaultHref={addressOf(path, search, { columns: '', cursor: null })}
      />
      <a
        className="button button-compact"
        download
        href={withBase(`/api/0/organizations/${organization}/issues/${here.issue.id}/events/csv/?${query}`)}
      >
        {t('csv')}
      </a>
    </div>
  )
}

/** The events of an issue with a search in the stream's language. Works without scripts. */
export async function EventsScreen({ org, id, search: rawSearch }: { org: string; id: string; search: Search }) {
  const search = new URLSearchParams(
    Object.entries(rawSearch).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string' ? [[name, value]] : name === 'columns' && value ? [[name, value.join(',')]] : [],
    ),
  )
  const { actor, organization } = await demandOrganization(org, addressOf(`/o/${org}/issues/${id}/events`, search, {}))
  const here = (await findIssue(actor, organization, decodeURIComponent(id))) ?? notFound()
  const t = await getTranslations('search.events')
  const issuePath = `/o/${organization.slug}/issues/${encodeURIComponent(here.issue.shortId)}`
  const path = `${issuePath}/events`
  const [{ page, refused }, environments] = await Promise.all([
    rowsOf(here, actor, search),
    unlessAway(environmentsOf([here.project])),
  ])
  const viewSearch = addressOf('', search, { q: null, cursor: null, sort: null, project: null, columns: null })
  const events = page?.rows ?? []
  const columns = await chosenColumns(search, events)
  return (
    <div className="stream">
      <div className="stream-head">
        <h1>{t('title')}</h1>
        <Link className="link min-w-0 truncate" href={`${issuePath}${viewSearch}`} title={t('back')}>
          <code>{here.issue.shortId}</code> <PlainText text={here.issue.title} charactersMax={120} />
        </Link>
      </div>
      <EventSearch
        organization={organization.slug}
        projectId={String(here.project.id)}
        path={path}
        environments={environments}
        error={refused}
      />
      {page === undefined ? (
        refused ? null : (
          <ErrorState title={t('away')} code="STORE_UNAVAILABLE" />
        )
      ) : page.rows.length === 0 ? (
        <EmptyState title={t('none')}>
          <p>{t('noneTodo')}</p>
          <Link
            className="button mt-4"
            href={addressOf(path, search, { t: '90d', from: null, to: null, cursor: null })}
          >
            {t('widen')}
          </Link>
        </EmptyState>
      ) : (
        <>
          <TableTools
            organization={organization.slug}
            here={here}
            path={path}
            search={search}
            events={events}
            columns={columns}
          />
          <EventTable
            events={page.rows}
            columns={columns}
            organization={organization.slug}
            base={path}
            viewSearch={viewSearch}
          />
        </>
      )}
      {page && (page.next.results || search.has('cursor')) ? (
        <nav className="event-pages">
          {search.has('cursor') ? (
            <Link className="button button-compact" href={addressOf(path, search, { cursor: null })}>
              {t('newest')}
            </Link>
          ) : null}
          {page.next.results ? (
            <Link className="button button-compact" href={addressOf(path, search, { cursor: page.next.cursor })}>
              {t('older')}
            </Link>
          ) : null}
        </nav>
      ) : null}
    </div>
  )
}
