'use client'
import './dashboards.css'
import dynamic from 'next/dynamic'
import { usePathname, useRouter, useSearchParams } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { useEffect, useState, useTransition } from 'react'
import type { RestDashboard, RestTile } from '../../../contract/explore/dashboards.ts'
import { apiFetch } from '../../client/api.ts'
import { patientImport } from '../../client/connection.ts'
import { useAnnotations } from '../../ui/chart/use-annotations.ts'
import { Button } from '../../ui/forms/controls.tsx'
import { useKey } from '../../ui/keys/keys.tsx'
import { RowEnd } from '../../ui/row-end.tsx'
import { EmptyState, QueryFailed } from '../../ui/states.tsx'
import type { ProjectName } from '../search/list-params.ts'
import { useRangeKey } from '../search/range-key.ts'
import { BoardHead } from './board-head.tsx'
import { type BoardChange, BoardScope } from './board-scope.tsx'
import { BoardTiles } from './board-tiles.tsx'
import { boardParams, tileQuery } from './params.ts'
import type { TileScope } from './tile.tsx'

const BoardEditor = dynamic(
  patientImport(() => import('./board-editor.tsx').then((module) => module.BoardEditor)),
  { ssr: false },
)
const TileForm = dynamic(
  patientImport(() => import('./tile-form.tsx').then((module) => module.TileForm)),
  { ssr: false },
)

/** What a person edits: tiles and settings that are not saved yet. */
type BoardDraft = Pick<RestDashboard, 'title' | 'widgets' | 'attribute' | 'visibility'>

/** A function that changes the URL of the dashboard. */
function useChange(): (change: BoardChange) => void {
  const router = useRouter()
  const path = usePathname()
  const search = useSearchParams()
  const [, start] = useTransition()
  return (change) => {
    const next = new URLSearchParams(search)
    for (const [name, value] of Object.entries(change)) {
      next.delete(name)
      for (const item of typeof value === 'string' ? [value] : (value ?? [])) if (item !== '') next.append(name, item)
    }
    start(() => router.push(path + (next.size > 0 ? `?${next}` : ''), { scroll: false }))
  }
}

/** The part of a tile that its answer depends on. */
const askedOf = ({ displayType, widgetType, plan, queries, limit, interval }: RestTile) =>
  JSON.stringify([displayType, widgetType, plan, queries, limit, interval])

/** A tile as a body: a tile without an id of the server gets an id. */
const bodyOf = ({ id, ...tile }: RestTile) => (id.startsWith('new-') ? tile : { id, ...tile })

/** Editing: the draft, and functions that begin, save and leave it. */
function useDraft(organization: string, initial: RestDashboard) {
  const router = useRouter()
  const [board, setBoard] = useState(initial)
  const [draft, setDraft] = useState<BoardDraft>()
  const [error, setError] = useState<Error | null>(null)
  const [isSaving, setSaving] = useState(false)
  useEffect(() => setBoard(initial), [initial])
  async function save(): Promise<void> {
    if (!draft) return
    setSaving(true)
    setError(null)
    try {
      const { title, attribute, visibility } = draft
      const saved = await apiFetch<RestDashboard>(`organizations/${organization}/dashboards/${board.id}/`, {
        method: 'PUT',
        body: { title, attribute, visibility, widgets: draft.widgets.map(bodyOf), revision: board.revision },
      })
      setBoard(saved)
      setDraft(undefined)
      router.refresh()
    } catch (cause) {
      setError(cause instanceof Error ? cause : new Error(String(cause)))
    } finally {
      setSaving(false)
    }
  }
  return {
    board,
    draft,
    error,
    isSaving,
    save,
    begin: () => setDraft(board),
    leave: () => {
      setDraft(undefined)
      setError(null)
    },
    change: (changed: Partial<BoardDraft>) => setDraft((before) => (before ? { ...before, ...changed } : before)),
  }
}

/** Full screen by `f` and by a button; Escape leaves it. */
function useFullScreen(): [boolean, () => void] {
  const t = useTranslations('boards')
  const [isFull, setFull] = useState(false)
  const toggle = () => setFull((before) => !before)
  useKey('f', t('keys.group'), t('keys.full'), toggle)
  useKey('Escape', t('keys.group'), t('keys.leave'), () => setFull(false), isFull)
  return [isFull, toggle]
}

type BoardProps = {
  organization: string
  board: RestDashboard
  /** Whether the reader may create dashboards. */
  mayWrite: boolean
  projects: readonly ProjectName[]
  environments: string[] | undefined
}

/** A dashboard: its variables, and tiles that each load alone. */
export function Board({ organization, board: initial, mayWrite, projects, environments }: BoardProps) {
  const t = useTranslations('boards')
  const editing = useDraft(organization, initial)
  const { board, draft } = editing
  const [form, setForm] = useState<{ tile: RestTile | undefined }>()
  const [isFull, toggleFull] = useFullScreen()
  const change = useChange()
  useRangeKey()
  const params = boardParams(useSearchParams(), board.period)
  const query = tileQuery(params, projects)
  const { release: _release, value: _value, ...marked } = query
  const stored = new Map(board.widgets.map((tile) => [tile.id, askedOf(tile)]))
  const attribute = draft?.attribute ?? board.attribute
  const scope: TileScope = {
    organization,
    dashboard: board.id,
    query,
    refreshS: params.refreshS,
    annotations: useAnnotations(organization, marked, undefined),
    isStored: (tile) => attribute === board.attribute && stored.get(tile.id) === askedOf(tile),
    attribute,
    onSelect: (fromMs, toMs) =>
      change({ t: null, from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() }),
  }
  const tiles = draft?.widgets ?? board.widgets
  function done(tile: RestTile): void {
    const isKnown = tiles.some(({ id }) => id === tile.id)
    editing.change({ widgets: isKnown ? tiles.map((own) => (own.id === tile.id ? tile : own)) : [...tiles, tile] })
    setForm(undefined)
  }
  return (
    <div className="board" data-full={isFull || undefined}>
      <BoardHead
        organization={organization}
        editing={editing}
        mayWrite={mayWrite}
        isFull={isFull}
        toggleFull={toggleFull}
        add={() => setForm({ tile: undefined })}
      />
      <div className="board-bar">
        <BoardScope
          organization={organization}
          params={params}
          attribute={attribute}
          projects={projects}
          environments={environments}
          change={change}
        />
        <RowEnd />
      </div>
      <QueryFailed error={editing.error} />
      {tiles.length === 0 ? (
        <EmptyState title={t('empty')}>
          {board.isEditable ? (
            <Button
              look="main"
              onClick={() => {
                if (!draft) editing.begin()
                setForm({ tile: undefined })
              }}
            >
              {t('addTile')}
            </Button>
          ) : null}
        </EmptyState>
      ) : draft ? (
        <BoardEditor
          tiles={tiles}
          scope={scope}
          onChange={(widgets) => editing.change({ widgets })}
          onEdit={(tile) => setForm({ tile })}
        />
      ) : (
        <BoardTiles tiles={tiles} scope={scope} params={params} mayAlert={mayWrite} />
      )}
      {form ? <TileForm tile={form.tile} tiles={tiles} onDone={done} onClose={() => setForm(undefined)} /> : null}
    </div>
  )
}

/** The state of editing, for the head. */
export type BoardEditing = ReturnType<typeof useDraft>
