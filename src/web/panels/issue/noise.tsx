'use client'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import type { RestIssueDetail } from '../../../contract/issues.ts'
import { inboundFilters } from '../../../domain/filters.ts'
import { apiFetch } from '../../client/api.ts'
import { Button } from '../../ui/forms/controls.tsx'
import { Link } from '../../ui/link.tsx'
import { useToast } from '../../ui/toast.tsx'
import { useErrorToast } from '../triage/change.ts'

type Props = {
  organization: string
  detail: RestIssueDetail
  /** Whether the reader may change the project's filters. */
  canFilter: boolean
  canTriage: boolean
  archive: () => void
  changed: () => void
}

/** Shows that the team cannot fix the issue, the reason, and buttons to filter or archive it. */
export function NoiseBar(props: Props) {
  const { noise, lifetime } = props.detail
  const t = useTranslations('noise')
  if (!noise) return null
  return (
    <section className="noise-bar" aria-labelledby="noise-title">
      <div className="min-w-0">
        <h2 id="noise-title" className="noise-title">
          {t('title')} <span className="chip text-ink-3">{t(`kind.${noise.kind}`)}</span>
        </h2>
        <p>
          {t(`why.${noise.kind}`)} <span className="text-ink-3">{t('all', { count: Number(lifetime.count) })}</span>
        </p>
      </div>
      <NoiseAction {...props} />
    </section>
  )
}

/** Sets the inbound filter of the issue's project, with undo. */
function useFilter({ organization, detail, changed }: Props) {
  const t = useTranslations('noise')
  const toast = useToast()
  const showError = useErrorToast()
  const set = async (id: string, active: boolean, isUndo: boolean): Promise<void> => {
    try {
      const path = `projects/${organization}/${detail.project.slug}/filters/${id}/`
      await apiFetch(path, { method: 'PUT', body: { active } })
      const undo = { action: { label: t('undo'), run: () => void set(id, !active, true) } }
      toast({ text: t(active ? 'dropped' : 'undone'), ...(isUndo ? { stayMs: 3000 } : undo) })
    } catch (error) {
      showError(error)
    }
    changed()
  }
  return set
}

function NoiseAction(props: Props) {
  const { organization, detail, canFilter, canTriage, archive } = props
  const t = useTranslations('noise')
  const filters = useTranslations('filters')
  const set = useFilter(props)
  const filterOfNoise = detail.noiseFilter
  const noiseFilter = inboundFilters.find((inboundFilter) => inboundFilter.id === filterOfNoise?.id)
  if (!filterOfNoise || !noiseFilter) {
    if (detail.status === 'ignored') return <Action hint={t('isArchived')} />
    return (
      <Action hint={t('archiveHint')}>
        <Button compact disabled={!canTriage} onClick={archive}>
          {t('archive')}
        </Button>
      </Action>
    )
  }
  const filter = filters(`${noiseFilter.key}.title`)
  const about = (
    <Link
      className="link"
      href={`/o/${organization}/settings/projects/${detail.project.slug}/filters#${noiseFilter.id}`}
    >
      {t('filters')}
    </Link>
  )
  if (filterOfNoise.isActive)
    return (
      <Action hint={t('isOn', { filter })} about={about}>
        {canFilter ? (
          <Button compact onClick={() => void set(noiseFilter.id, false, false)}>
            {t('switchOff')}
          </Button>
        ) : null}
      </Action>
    )
  if (!canFilter) return <Action hint={t('ask', { filter })} about={about} />
  return (
    <Action hint={t('dropHint', { filter, hint: filters(`${noiseFilter.key}.hint`) })} about={about}>
      <Button compact onClick={() => void set(noiseFilter.id, true, false)}>
        {t('drop')}
      </Button>
    </Action>
  )
}

function Action({ hint, about, children }: { hint: string; about?: ReactNode; children?: ReactNode }) {
  return (
    <div className="noise-action">
      {children}
      <p className="text-small text-ink-3">
        {hint} {about}
      </p>
    </div>
  )
}
