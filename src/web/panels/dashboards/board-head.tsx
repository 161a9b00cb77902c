'use client'
import { Maximize2, Minimize2 } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { useTranslations } from 'next-intl'
import type { RestDashboard } from '../../../contract/explore/dashboards.ts'
import { apiFetch } from '../../client/api.ts'
import { Button, Input, Select } from '../../ui/forms/controls.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { useToast } from '../../ui/toast.tsx'
import type { BoardEditing } from './board.tsx'
import { useBoardTitle } from './titles.ts'

type HeadProps = {
  organization: string
  editing: BoardEditing
  mayWrite: boolean
  isFull: boolean
  toggleFull: () => void
  add: () => void
}

/** The settings of a dashboard that is edited, and its end. */
function EditBar({ editing, add }: Pick<HeadProps, 'editing' | 'add'>) {
  const t = useTranslations('boards')
  const common = useTranslations('common')
  const { draft, change, save, leave, isSaving } = editing
  if (!draft) return null
  return (
    <>
      <Input
        aria-label={t('title')}
        className="board-title"
        maxLength={120}
        value={draft.title}
        onChange={(event) => change({ title: event.target.value })}
      />
      <Input
        aria-label={t('attribute')}
        placeholder={t('attribute')}
        className="board-attribute"
        value={draft.attribute}
        onChange={(event) => change({ attribute: event.target.value.replace(/[^\w.\-[\],:]/g, '') })}
      />
      <Select
        aria-label={t('visibility')}
        value={draft.visibility}
        onChange={(event) => change({ visibility: event.target.value === 'owner' ? 'owner' : 'organization' })}
      >
        <option value="organization">{t('shared')}</option>
        <option value="owner">{t('own')}</option>
      </Select>
      <span className="board-actions">
        <Button onClick={add}>{t('addTile')}</Button>
        <Button onClick={leave}>{common('cancel')}</Button>
        <Button look="main" disabled={isSaving} onClick={() => void save()}>
          {common('save')}
        </Button>
      </span>
    </>
  )
}

/** The title of a dashboard and its actions. */
export function BoardHead({ organization, editing, mayWrite, isFull, toggleFull, add }: HeadProps) {
  const t = useTranslations('boards')
  const router = useRouter()
  const toast = useToast()
  const titleOf = useBoardTitle()
  const { board, draft, begin } = editing
  async function duplicate(): Promise<void> {
    try {
      const made = await apiFetch<RestDashboard>(`organizations/${organization}/dashboards/`, {
        method: 'POST',
        body: { title: t('copyOf', { title: titleOf(board) }).slice(0, 120), duplicate: board.id },
      })
      router.push(`/o/${organization}/dashboards/${made.id}`)
    } catch (error) {
      toast({ text: error instanceof Error ? error.message : t('failed') })
    }
  }
  return (
    <header className="board-top">
      {draft ? (
        <EditBar editing={editing} add={add} />
      ) : (
        <>
          <nav aria-label={t('way')}>
            <Link className="link" href={`/o/${organization}/dashboards`}>
              {t('name')}
            </Link>
          </nav>
          <h1>
            <PlainText text={titleOf(board)} charactersMax={120} />
          </h1>
          {board.isReadyMade ? <span className="board-note">{t('readyMade')}</span> : null}
          <span className="board-actions">
            <Button icon aria-label={isFull ? t('leaveFull') : t('full')} aria-pressed={isFull} onClick={toggleFull}>
              {isFull ? <Minimize2 size={15} strokeWidth={1.75} /> : <Maximize2 size={15} strokeWidth={1.75} />}
            </Button>
            {mayWrite ? <Button onClick={() => void duplicate()}>{t('duplicate')}</Button> : null}
            {board.isEditable ? (
              <Button look="main" onClick={begin}>
                {t('editBoard')}
              </Button>
            ) : null}
          </span>
        </>
      )}
    </header>
  )
}
