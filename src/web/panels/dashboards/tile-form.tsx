'use client'
import { useTranslations } from 'next-intl'
import { type FormEvent, useState } from 'react'
import type { RestTile } from '../../../contract/explore/dashboards.ts'
import { tileTypes } from '../../../domain/dashboards.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Button, Field, Input, Select, TextArea } from '../../ui/forms/controls.tsx'
import { type DraftKind, draftKinds, draftOf, type TileDraft, tileOfDraft } from './tile-draft.ts'

type Change = (change: Partial<TileDraft>) => void
type PartProps = { draft: TileDraft; change: Change }

const issueOrders = ['date', 'new', 'freq', 'user'] as const

/** A labelled field of several lines, in the code font: what is in it is read by the query. */
function CodeLines({
  name,
  value,
  onChange,
}: {
  name: 'query' | 'series' | 'formulas' | 'groups'
  value: string
  onChange: (value: string) => void
}) {
  const t = useTranslations('boards.form')
  return (
    <Field id={`tile-form-${name}`} label={t(name)} hint={t(`${name}Hint`)}>
      <TextArea
        id={`tile-form-${name}`}
        className="board-code"
        aria-describedby={`tile-form-${name}-note`}
        rows={name === 'query' ? 1 : 2}
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  )
}

function IssueFields({ draft, change }: PartProps) {
  const t = useTranslations('boards.form')
  return (
    <>
      <CodeLines name="query" value={draft.query} onChange={(query) => change({ query })} />
      <Field id="tile-form-order" label={t('order')}>
        <Select
          id="tile-form-order"
          value={issueOrders.find((order) => order === draft.order) ?? 'date'}
          onChange={(event) => change({ order: event.target.value })}
        >
          {issueOrders.map((order) => (
            <option key={order} value={order}>
              {t(`issueOrder.${order}`)}
            </option>
          ))}
        </Select>
      </Field>
    </>
  )
}

/** The query of a tile over a dataset. */
function PlanFields({ draft, change }: PartProps) {
  const t = useTranslations('boards.form')
  return (
    <>
      <Field id="tile-form-type" label={t('type')}>
        <Select
          id="tile-form-type"
          value={draft.type}
          onChange={(event) => {
            const type = tileTypes.find((known) => known === event.target.value)
            if (type && type !== 'issue') change({ type })
          }}
        >
          {tileTypes.map((type) =>
            type === 'issue' || (type === 'discover' && draft.type !== 'discover') ? null : (
              <option key={type} value={type}>
                {t(`types.${type}`)}
              </option>
            ),
          )}
        </Select>
      </Field>
      <CodeLines name="query" value={draft.query} onChange={(query) => change({ query })} />
      <CodeLines name="series" value={draft.series} onChange={(series) => change({ series })} />
      <CodeLines name="groups" value={draft.groups} onChange={(groups) => change({ groups })} />
      <CodeLines name="formulas" value={draft.formulas} onChange={(formulas) => change({ formulas })} />
      <Field id="tile-form-order" label={t('order')} hint={t('orderHint')}>
        <Input id="tile-form-order" value={draft.order} onChange={(event) => change({ order: event.target.value })} />
      </Field>
      <label className="board-check">
        <input
          type="checkbox"
          checked={draft.isCompared}
          onChange={(event) => change({ isCompared: event.target.checked })}
        />{' '}
        {t('compare')}
      </label>
    </>
  )
}

/** Edits one tile. Nothing is stored before the dashboard is saved. */
export function TileForm({
  tile,
  tiles,
  onDone,
  onClose,
}: {
  /** Undefined: a new tile. */
  tile: RestTile | undefined
  tiles: readonly RestTile[]
  onDone: (tile: RestTile) => void
  onClose: () => void
}) {
  const t = useTranslations('boards.form')
  const common = useTranslations('common')
  const [draft, setDraft] = useState(() => draftOf(tile))
  const change: Change = (changed) => setDraft((before) => ({ ...before, ...changed }))
  const isText = draft.kind === 'text'
  function submit(event: FormEvent): void {
    event.preventDefault()
    onDone(tileOfDraft(draft, tile, tiles))
  }
  const setKind = (kind: DraftKind | undefined) => kind && change({ kind })
  return (
    <Dialog title={tile ? t('edit') : t('add')} onClose={onClose}>
      <form className="board-form" onSubmit={submit}>
        <Field id="tile-form-title" label={t('title')}>
          <Input
            id="tile-form-title"
            maxLength={255}
            value={draft.title}
            onChange={(event) => change({ title: event.target.value })}
          />
        </Field>
        <Field id="tile-form-kind" label={t('kind')}>
          <Select
            id="tile-form-kind"
            value={draft.kind}
            onChange={(event) => setKind(draftKinds.find((kind) => kind === event.target.value))}
          >
            {draftKinds.map((kind) => (
              <option key={kind} value={kind}>
                {t(`kinds.${kind}`)}
              </option>
            ))}
          </Select>
        </Field>
        {draft.kind === 'issues' ? <IssueFields draft={draft} change={change} /> : null}
        {isText || draft.kind === 'issues' ? null : <PlanFields draft={draft} change={change} />}
        {isText ? null : (
          <Field id="tile-form-limit" label={t('limit')}>
            <Input
              id="tile-form-limit"
              type="number"
              min={1}
              max={1000}
              value={draft.limit}
              onChange={(event) => change({ limit: event.target.value })}
            />
          </Field>
        )}
        <Field id="tile-form-text" label={isText ? t('text') : t('remark')}>
          <TextArea
            id="tile-form-text"
            rows={isText ? 6 : 2}
            maxLength={20_000}
            value={draft.text}
            onChange={(event) => change({ text: event.target.value })}
          />
        </Field>
        <div className="board-form-end">
          <Button onClick={onClose}>{common('cancel')}</Button>
          <Button type="submit" look="main">
            {t('apply')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
