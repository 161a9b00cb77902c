'use client'
import { Bookmark } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { type FormEvent, useRef, useState } from 'react'
import type { RestSavedQuery } from '../../../contract/explore/saved-queries.ts'
import { ApiError, type ApiRequest, apiFetch } from '../../client/api.ts'
import { useCloseOutside } from '../../ui/close-outside.ts'
import { CopyButton } from '../../ui/copy/copy-button.tsx'
import { Button } from '../../ui/forms/controls.tsx'
import { useKey } from '../../ui/keys/keys.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { useToast } from '../../ui/toast.tsx'
import type { ProjectName } from '../search/list-params.ts'
import { scopeToView } from '../search/views.ts'
import { type ExploreParams, explorePeriod } from './params.ts'

type SavedProps = {
  organization: string
  params: ExploreParams
  projects: readonly ProjectName[]
  saved: RestSavedQuery[]
  /** The saved query that the page was opened with. */
  shown: RestSavedQuery | undefined
  canSave: boolean
}

const sentenceOf = (error: unknown, otherwise: string): string =>
  error instanceof ApiError ? (Object.values(error.fields).flat()[0] ?? error.message) : otherwise

/** Functions that change the saved queries. Each reloads the list with the page. */
function useSaving({ organization, params, projects }: SavedProps) {
  const t = useTranslations('explore.saved')
  const router = useRouter()
  const toast = useToast()
  const [error, setError] = useState('')
  const path = `organizations/${organization}/explore/saved/`
  const content = () => ({ plan: params.plan, ...scopeToView(params, projects, explorePeriod) })
  async function send(request: ApiRequest, id: string, done: string): Promise<RestSavedQuery | undefined | false> {
    try {
      const answer = await apiFetch<RestSavedQuery | undefined>(`${path}${id ? `${id}/` : ''}`, request)
      setError('')
      toast({ text: done, stayMs: 3000 })
      return answer
    } catch (failure) {
      setError(sentenceOf(failure, t('failed')))
      return false
    } finally {
      router.refresh()
    }
  }
  return {
    error,
    create: async (name: string, isShared: boolean) => {
      const visibility = isShared ? 'organization' : 'owner'
      const made = await send({ method: 'POST', body: { name, visibility, ...content() } }, '', t('saved', { name }))
      if (made) router.push(`/o/${organization}/explore?saved=${made.id}`)
      return made !== false
    },
    update: ({ id, name, revision }: RestSavedQuery) =>
      send({ method: 'PUT', body: { ...content(), revision } }, id, t('saved', { name })),
    share: ({ id, name, revision, visibility }: RestSavedQuery) =>
      send(
        { method: 'PUT', body: { visibility: visibility === 'owner' ? 'organization' : 'owner', revision } },
        id,
        t('saved', { name }),
      ),
    remove: ({ id, name, revision }: RestSavedQuery) =>
      send({ method: 'DELETE', query: { revision } }, id, t('deleted', { name })),
  }
}

/** The actions of one saved query. */
function Acts({
  query,
  saving,
  isShown,
}: {
  query: RestSavedQuery
  saving: ReturnType<typeof useSaving>
  isShown: boolean
}) {
  const t = useTranslations('explore.saved')
  const { name } = query
  if (!query.isEditable) return null
  return (
    <span className="views-acts">
      {isShown ? (
        <Button look="plain" compact aria-label={t('updateNamed', { name })} onClick={() => void saving.update(query)}>
          {t('update')}
        </Button>
      ) : null}
      <Button
        look="plain"
        compact
        aria-label={t('shareNamed', { name })}
        aria-pressed={query.visibility === 'organization'}
        onClick={() => void saving.share(query)}
      >
        {t('share')}
      </Button>
      <Button look="plain" compact aria-label={t('deleteNamed', { name })} onClick={() => void saving.remove(query)}>
        {t('delete')}
      </Button>
    </span>
  )
}

function SaveForm({ saving }: { saving: ReturnType<typeof useSaving> }) {
  const t = useTranslations('explore.saved')
  async function save(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = event.currentTarget
    const data = new FormData(form)
    if (await saving.create(String(data.get('name') ?? ''), data.get('shared') !== null)) form.reset()
  }
  return (
    <form className="views-save" onSubmit={(event) => void save(event)}>
      <label>
        {t('save')}
        <input className="input" name="name" required maxLength={64} autoComplete="off" placeholder={t('name')} />
      </label>
      <label className="flex items-center gap-2">
        <input type="checkbox" className="checkbox" name="shared" /> {t('shared')}
      </label>
      {saving.error ? (
        <p role="alert" className="text-small text-error">
          {saving.error}
        </p>
      ) : null}
      <Button type="submit" look="main" compact>
        {t('saveAction')}
      </Button>
    </form>
  )
}

/** Saved queries as links, with their actions, a form that saves the query of the page, and its link to share. */
export function SavedQueries(props: SavedProps) {
  const { organization, saved, shown, canSave } = props
  const t = useTranslations('explore.saved')
  const keys = useTranslations('issues.keys')
  const [isOpen, setOpen] = useState(false)
  const details = useRef<HTMLDetailsElement>(null)
  const saving = useSaving(props)
  const close = () => {
    if (details.current) details.current.open = false
  }
  useKey('v', keys('group'), t('title'), () => {
    if (details.current) details.current.open = true
    details.current?.querySelector('summary')?.focus()
  })
  useCloseOutside(details, isOpen)
  return (
    <>
      <details
        ref={details}
        className="views"
        onToggle={(event) => setOpen(event.currentTarget.open)}
        onClick={(event) => {
          if (event.target instanceof Element && event.target.closest('a')) close()
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || !details.current?.open) return
          close()
          details.current.querySelector('summary')?.focus()
        }}
      >
        <summary className="popup-button views-name">
          <Bookmark size={13} strokeWidth={1.75} aria-hidden="true" />
          {t('title')}
        </summary>
        <div className="views-panel">
          {saved.length === 0 ? <p className="text-ink-3">{t('none')}</p> : null}
          <ul aria-label={t('title')}>
            {saved.map((query) => (
              <li key={query.id} className="views-line">
                <Link
                  href={`/o/${organization}/explore?saved=${query.id}`}
                  {...(query.id === shown?.id ? { 'aria-current': 'page' as const } : {})}
                >
                  <span className="views-text">
                    <PlainText text={query.name} charactersMax={64} />
                  </span>
                  {query.visibility === 'organization' ? <span className="chip">{t('everybody')}</span> : null}
                </Link>
                <Acts query={query} saving={saving} isShown={query.id === shown?.id} />
              </li>
            ))}
          </ul>
          {canSave ? <SaveForm saving={saving} /> : <p className="text-ink-3">{t('viewer')}</p>}
        </div>
      </details>
      <CopyButton text={() => window.location.href} label={t('link')} />
    </>
  )
}
