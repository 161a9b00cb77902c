'use client'
import { useQuery } from '@tanstack/react-query'
import { Pencil, Trash2 } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { Component, type ReactNode, Suspense } from 'react'
import type { RestTile, RestTileData } from '../../../contract/explore/dashboards.ts'
import type { RestAnnotations } from '../../../contract/releases.ts'
import { ApiError, apiFetch, isTemporary } from '../../client/api.ts'
import { Button, buttonClass } from '../../ui/forms/controls.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { SeverityShape } from '../../ui/severity.tsx'
import type { tileQuery } from './params.ts'
import { TextTile, TileContent } from './tile-content.tsx'

/** What all tiles of a dashboard share. */
export type TileScope = {
  organization: string
  dashboard: string
  query: ReturnType<typeof tileQuery>
  refreshS: number
  annotations: RestAnnotations | undefined
  /** Whether the server has this tile as it is. Another one is sent along with the question. */
  isStored: (tile: RestTile) => boolean
  attribute: string
  onSelect: (fromMs: number, toMs: number) => void
}

/** The reason why a tile shows nothing, with the words of the server. */
function TileFailed({ error, retry }: { error: unknown; retry: () => void }) {
  const t = useTranslations('boards.tile')
  const common = useTranslations('common')
  const known = error instanceof ApiError ? error : undefined
  const isSilent = known === undefined || known.code === 'NETWORK'
  return (
    <div className="board-failed" role="alert">
      <p>
        <SeverityShape level="error" label="" sizePx={10} />{' '}
        <b>
          {isSilent ? known ? common('noAnswer') : t('broken') : <PlainText text={known.message} charactersMax={400} />}
        </b>
      </p>
      {known && known.causes.length > 0 ? <p>{known.causes.join(' ')}</p> : null}
      {known && !isSilent ? <code>{known.code}</code> : null}
      <Button compact onClick={retry}>
        {common('retry')}
      </Button>
    </div>
  )
}

/** Keeps an error of one tile's screen code inside that tile. */
class Boundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state = { error: undefined as unknown }
  static getDerivedStateFromError(error: unknown) {
    return { error }
  }
  override render() {
    if (this.state.error === undefined) return this.props.children
    return <TileFailed error={this.state.error} retry={() => this.setState({ error: undefined })} />
  }
}

/** A tile's data. It is asked alone, so that a slow or failing tile stops no other. */
function useTileData(tile: RestTile, scope: TileScope) {
  const { organization, dashboard, query, refreshS, attribute } = scope
  const isAsked = tile.displayType !== 'text'
  const isStored = scope.isStored(tile)
  const base = `organizations/${organization}/dashboards`
  return useQuery({
    queryKey: ['tile', organization, dashboard, tile.id, JSON.stringify([tile.plan, tile.queries, tile.limit]), query],
    queryFn: ({ signal }) =>
      isStored
        ? apiFetch<RestTileData>(`${base}/${dashboard}/widgets/${tile.id}/data/`, { query, signal })
        : apiFetch<RestTileData>(`${base}/widget-data/`, {
            method: 'POST',
            query,
            body: { widget: tile, attribute },
            signal,
          }),
    enabled: isAsked,
    refetchInterval: refreshS > 0 ? refreshS * 1000 : false,
    retry: (count, error) => isTemporary(error) && count < 2,
    placeholderData: (before) => before,
  })
}

/** The body of a tile: its content, why there is none, or nothing while it loads. Its height is that of the tile. */
export function TileBody({ tile, scope }: { tile: RestTile; scope: TileScope }) {
  const t = useTranslations('common')
  const { data, error, isFetching, isPending, refetch } = useTileData(tile, scope)
  if (tile.displayType === 'text') return <TextTile text={tile.description ?? ''} />
  return (
    <div className="board-body" aria-busy={isFetching || undefined}>
      {error && !isFetching ? <TileFailed error={error} retry={() => void refetch()} /> : null}
      {data && !error ? (
        <Boundary>
          {/* The code of a chart is loaded with the first answer. It must not hide the other tiles, nor take a focus away. */}
          <Suspense fallback={null}>
            <TileContent {...scope} tile={tile} data={data} />
          </Suspense>
        </Boundary>
      ) : null}
      {isPending && !error ? (
        <span className="visually-hidden" role="status">
          {t('loading')}
        </span>
      ) : null}
    </div>
  )
}

/** What a person does with a tile while the dashboard is edited. */
type TileActions = { edit: () => void; remove: () => void; handle: ReactNode }

/** The head of a tile: its title, its remark on hover, and its actions. */
export function TileHead({
  tile,
  explore,
  alert,
  actions,
}: {
  tile: RestTile
  /** Address of the tile's query in Explore. */
  explore: string | undefined
  /** Address of a new alert rule that watches the tile. */
  alert?: string | undefined
  actions: TileActions | undefined
}) {
  const t = useTranslations('boards.tile')
  const title = tile.title || t('untitled')
  return (
    <header className="board-head" title={tile.displayType === 'text' ? undefined : (tile.description ?? undefined)}>
      {actions?.handle}
      <h2 id={`tile-${tile.id}`}>
        <PlainText text={title} charactersMax={120} />
      </h2>
      {actions ? (
        <>
          <button
            type="button"
            className={buttonClass({ look: 'plain', compact: true, icon: true })}
            aria-label={t('edit', { title })}
            onClick={actions.edit}
          >
            <Pencil size={14} strokeWidth={1.75} />
          </button>
          <button
            type="button"
            className={buttonClass({ look: 'plain', compact: true, icon: true })}
            aria-label={t('remove', { title })}
            onClick={actions.remove}
          >
            <Trash2 size={14} strokeWidth={1.75} />
          </button>
        </>
      ) : (
        <>
          {alert === undefined ? null : (
            <Link className="board-explore" href={alert}>
              {t('alert')}
            </Link>
          )}
          {explore === undefined ? null : (
            <Link className="board-explore" href={explore}>
              {t('explore')}
            </Link>
          )}
        </>
      )}
    </header>
  )
}
