'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'next-intl'
import type { RestCommit, RestRepository } from '../../../contract/commits.ts'
import { apiFetch } from '../../client/api.ts'
import type { StatusChange } from '../../client/issue-status.ts'
import { type Choice, ChoiceDialog } from '../../ui/forms/choice-dialog.tsx'

/** Newest commits to choose from. Older ones are found by their hash. */
const commitsMax = '50'
/** Repositories that a pasted hash is offered for. */
const repositoriesMax = 5

/** A resolution in a commit. */
const inCommit = (repository: string, commit: string): StatusChange => ({
  status: 'resolved',
  statusDetails: { inCommit: { repository, commit } },
})

/** The repositories that a pasted hash can be of. Empty for any other text. */
export function pastedChoices(
  text: string,
  repositories: readonly string[],
  decide: (change: StatusChange) => void,
): Choice[] {
  const sha = text.trim().toLowerCase()
  if (!/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(sha)) return []
  return repositories.slice(0, repositoriesMax).map((repository) => ({
    id: `pasted-${repository}`,
    text: sha.slice(0, 12),
    note: repository,
    run: () => decide(inCommit(repository, sha)),
  }))
}

/** Asks in which commit the issues are resolved: one of the newest, or a pasted hash. */
export function CommitDialog({
  organization,
  decide,
  onClose,
}: {
  organization: string
  decide: (change: StatusChange) => void
  onClose: () => void
}) {
  const t = useTranslations('triage')
  const commits = useQuery({
    queryKey: ['recent-commits', organization],
    queryFn: ({ signal }) =>
      apiFetch<RestCommit[]>(`organizations/${organization}/commits/`, { query: { limit: commitsMax }, signal }),
    staleTime: 10_000,
  })
  const repositories = useQuery({
    queryKey: ['repositories', organization],
    queryFn: ({ signal }) =>
      apiFetch<RestRepository[]>(`organizations/${organization}/repos/`, { query: { named: '1' }, signal }),
    staleTime: 60_000,
  })
  const choices = (commits.data ?? []).map((commit): Choice => {
    const [subject = ''] = (commit.message ?? '').split('\n')
    return {
      id: `commit-${commit.repository.id}-${commit.id}`,
      text: `${commit.id.slice(0, 12)} ${subject.slice(0, 120)}`,
      note: [commit.repository.name, commit.author?.name].filter(Boolean).join(' · '),
      run: () => decide(inCommit(commit.repository.name, commit.id)),
    }
  })
  const names = (repositories.data ?? []).map(({ name }) => name)
  return (
    <ChoiceDialog
      title={t('ask.commit')}
      label={t('chooseCommit')}
      none={commits.isPending ? t('commitsLoading') : t('noCommit')}
      choices={choices}
      searchChoices={(text) => pastedChoices(text, names, decide)}
      onClose={onClose}
    />
  )
}
