'use client'
import './dashboards.css'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Copy, Star, Trash2 } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { useRef, useState } from 'react'
import type { RestDashboard, RestDashboardSummary } from '../../../contract/explore/dashboards.ts'
import { apiFetch } from '../../client/api.ts'
import { Button, Input } from '../../ui/forms/controls.tsx'
import { useKey } from '../../ui/keys/keys.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { RowEnd } from '../../ui/row-end.tsx'
import { EmptyState, QueryFailed } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { useUndo } from '../../ui/undo.ts'
import { useBoardTitle } from './titles.ts'

type RowActions = {
  mark: (board: RestDashboardSummary) => void
  duplicate: (board: RestDashboardSummary) => void
  remove: (board: RestDashboardSummary) => void
}

/** A small picture of where the tiles are. */
function Preview({ board }: { board: RestDashboardSummary }) {
  const rows = Math.max(1, ...board.widgetPreview.map(({ layout }) => layout.y + layout.h))
  return (
    <svg
      className="board-preview"
      aria-hidden="true"
      viewBox={`0 0 60 ${rows * 10}`}
      preserveAspectRatio="xMidYMin slice"
    >
      {board.widgetPreview.map(({ displayType, layout: { x, y, w, h } }) => (
        <rect
          key={`${x} ${y}`}
          x={x * 10 + 0.6}
          y={y * 10 + 0.6}
          width={w * 10 - 1.2}
          height={h * 10 - 1.2}
          data-kind={displayType}
        />
      ))}
    </svg>
  )
}

function Row({
  organization,
  board,
  mayWrite,
  actions,
}: {
  organization: string
  board: RestDashboardSummary
  mayWrite: boolean
  actions: RowActions
}) {
  const t = useTranslations('boards')
  const title = useBoardTitle()(board)
  return (
    <li className="board-row">
      <Preview board={board} />
      <span className="board-row-name">
        <Link href={`/o/${organization}/dashboards/${board.id}`}>
          <PlainText text={title} charactersMax={120} />
        </Link>
        <small>
          {board.isReadyMade ? t('readyMade') : board.visibility === 'owner' ? t('own') : t('shared')}
          {' · '}
          {t('tiles', { count: board.widgetDisplay.length })}
          {board.createdBy ? (
            <>
              {' · '}
              <PlainText text={board.createdBy.name || board.createdBy.email} charactersMax={60} />
            </>
          ) : null}
        </small>
      </span>
      <span className="board-row-when">{board.dateChanged ? <Time at={board.dateChanged} /> : null}</span>
      <span className="board-row-actions">
        <Button
          look="plain"
          icon
          aria-pressed={board.isFavorited}
          aria-label={t('favourite', { title })}
          onClick={() => actions.mark(board)}
        >
          <Star size={15} strokeWidth={1.75} fill={board.isFavorited ? 'currentColor' : 'none'} />
        </Button>
        {mayWrite ? (
          <Button look="plain" icon aria-label={t('duplicateOf', { title })} onClick={() => actions.duplicate(board)}>
            <Copy size={15} strokeWidth={1.75} />
          </Button>
        ) : null}
        {board.isEditable ? (
          <Button look="plain" icon aria-label={t('deleteOf', { title })} onClick={() => actions.remove(board)}>
            <Trash2 size={15} strokeWidth={1.75} />
          </Button>
        ) : null}
      </span>
    </li>
  )
}

/** The list's data and what a person does with it. A deleted dashboard comes back with its tiles by undo. */
function useBoards(organization: string, preloaded: RestDashboardSummary[]) {
  const t = useTranslations('boards')
  const router = useRouter()
  const client = useQueryClient()
  const offerUndo = useUndo()
  const titleOf = useBoardTitle()
  const [error, setError] = useState<Error | null>(null)
  const base = `organizations/${organization}/dashboards/`
  const key = ['dashboards', organization]
  const { data } = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => apiFetch<RestDashboardSummary[]>(base, { signal }),
    initialData: preloaded,
    staleTime: 10_000,
  })
  async function run(work: () => Promise<void>): Promise<void> {
    setError(null)
    try {
      await work()
      await client.invalidateQueries({ queryKey: key })
    } catch (cause) {
      setError(cause instanceof Error ? cause : new Error(t('failed')))
    }
  }
  async function make(body: object): Promise<void> {
    const made = await apiFetch<RestDashboard>(base, { method: 'POST', body })
    router.push(`/o/${organization}/dashboards/${made.id}`)
  }
  return {
    boards: data,
    error,
    create: () => run(() => make({ title: t('untitled') })),
    actions: {
      mark: (board) =>
        void run(() =>
          apiFetch(`${base}${board.id}/favorite/`, { method: 'PUT', body: { isFavorited: !board.isFavorited } }),
        ),
      duplicate: (board) =>
        void run(() => make({ title: t('copyOf', { title: titleOf(board) }).slice(0, 120), duplicate: board.id })),
      remove: (board) =>
        void run(async () => {
          const whole = await apiFetch<RestDashboard>(`${base}${board.id}/`)
          await apiFetch(`${base}${board.id}/`, { method: 'DELETE' })
          const { title, widgets, projects, environment, period, filters, attribute, visibility } = whole
          const body = { title, widgets, projects, environment, period, filters, attribute, visibility }
          offerUndo(t('deleted', { title }), () => void run(() => apiFetch(base, { method: 'POST', body })))
        }),
    } satisfies RowActions,
  }
}

/** The dashboards of an organization: own, shared and ready-made ones. */
export function BoardList({
  organization,
  boards: preloaded,
  mayWrite,
}: {
  organization: string
  boards: RestDashboardSummary[]
  mayWrite: boolean
}) {
  const t = useTranslations('boards')
  const [typed, setTyped] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const titleOf = useBoardTitle()
  const { boards, error, create, actions } = useBoards(organization, preloaded)
  useKey('/', t('keys.group'), t('search'), (event) => {
    event.preventDefault()
    field.current?.focus()
  })
  const shown = boards.filter((board) => titleOf(board).toLowerCase().includes(typed.trim().toLowerCase()))
  return (
    <div className="board-list-page">
      <header className="board-top">
        <h1>{t('name')}</h1>
        <Input
          ref={field}
          type="search"
          className="board-search"
          aria-label={t('search')}
          placeholder={t('search')}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <span className="board-actions">
          {mayWrite ? (
            <Button look="main" onClick={() => void create()}>
              {t('create')}
            </Button>
          ) : null}
        </span>
        <RowEnd />
      </header>
      <QueryFailed error={error} />
      {shown.length === 0 ? (
        <EmptyState title={t('noMatch')} />
      ) : (
        <ul className="board-list" aria-label={t('name')}>
          {shown.map((board) => (
            <Row key={board.id} organization={organization} board={board} mayWrite={mayWrite} actions={actions} />
          ))}
        </ul>
      )}
    </div>
  )
}
