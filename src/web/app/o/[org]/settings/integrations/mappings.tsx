'use client'
import { useTranslations } from 'next-intl'
import type { RestCodeMapping } from '../../../../../../contract/alerts/trackers.ts'
import { ActionForm } from '../../../../../ui/forms/action-form.tsx'
import { Button, Field, Select, TextField } from '../../../../../ui/forms/controls.tsx'
import { PlainText } from '../../../../../ui/plain-text.tsx'
import { ScrollBox } from '../../../../../ui/scroll-box.tsx'
import { deleteMappingAction, mappingAction } from './actions.ts'
import { ActButton, Results, startState } from './tracker-form.tsx'

type Repository = { id: number; name: string }
type Props = {
  organization: string
  mappings: readonly RestCodeMapping[]
  projects: readonly string[]
  repositories: readonly Repository[]
  mayWrite: boolean
}

function MappingTable({ organization, mappings, mayWrite }: Omit<Props, 'projects' | 'repositories'>) {
  const t = useTranslations('integrations')
  return (
    <ScrollBox label={t('mappings')}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{t('project')}</th>
            <th scope="col">{t('stackRoot')}</th>
            <th scope="col">{t('repository')}</th>
            <th scope="col">{t('sourceRoot')}</th>
            <th scope="col">{t('branch')}</th>
            <th scope="col">
              <span className="visually-hidden">{t('actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {mappings.map((mapping) => (
            <tr key={mapping.id}>
              <td>{mapping.projectSlug}</td>
              <td>
                <code>{mapping.stackRoot}</code>
              </td>
              <td>
                <PlainText text={mapping.repoName} charactersMax={200} />
              </td>
              <td>
                <code>{mapping.sourceRoot}</code>
              </td>
              <td>{mapping.defaultBranch}</td>
              <td>
                {mayWrite ? (
                  <ActButton
                    action={deleteMappingAction}
                    name={`mapping-${mapping.id}`}
                    hidden={{ organization, mapping: mapping.id }}
                    label={t('deleteMapping')}
                    danger
                  >
                    {t('delete')}
                  </ActButton>
                ) : null}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}

function MappingForm({ organization, projects, repositories }: Omit<Props, 'mappings' | 'mayWrite'>) {
  const t = useTranslations('integrations')
  if (repositories.length === 0) return <p className="mt-3 text-ink-3">{t('noRepositories')}</p>
  const list = (id: string, name: string, label: string, options: readonly [value: string, text: string][]) => (
    <Field id={id} label={label}>
      <Select id={id} name={name} aria-describedby={`${id}-note`}>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </Select>
    </Field>
  )
  return (
    <ActionForm
      action={mappingAction}
      initial={startState}
      name="mapping"
      className="mt-4 flex max-w-[560px] flex-col gap-3"
    >
      {({ fields, ...state }, pending) => (
        <>
          <Results state={{ fields, ...state }} />
          <input type="hidden" name="organization" value={organization} />
          {list(
            'mapping-project',
            'project',
            t('project'),
            projects.map((slug) => [slug, slug]),
          )}
          {list(
            'mapping-repository',
            'repository',
            t('repository'),
            repositories.map(({ id, name }) => [String(id), name]),
          )}
          <TextField id="mapping-stack" name="stackRoot" label={t('stackRoot')} errors={fields.stackRoot} />
          <TextField id="mapping-source" name="sourceRoot" label={t('sourceRoot')} errors={fields.sourceRoot} />
          <TextField
            id="mapping-branch"
            name="branch"
            label={t('branch')}
            hint={t('branchHint')}
            errors={fields.defaultBranch}
            defaultValue="main"
          />
          <div>
            <Button type="submit" disabled={pending}>
              {t('addMapping')}
            </Button>
          </div>
        </>
      )}
    </ActionForm>
  )
}

/** Where the files of stack frames are in repositories. */
export function Mappings({ mappings, mayWrite, ...props }: Props) {
  const t = useTranslations('integrations')
  return (
    <section className="mt-8" aria-labelledby="mappings-title">
      <h2 id="mappings-title" className="mb-3">
        {t('mappings')}
      </h2>
      <p className="mb-3 max-w-[72ch] text-ink-2">{mappings.length === 0 ? t('mappingsNone') : t('mappingsIntro')}</p>
      {mappings.length === 0 ? null : (
        <MappingTable organization={props.organization} mappings={mappings} mayWrite={mayWrite} />
      )}
      {mayWrite ? <MappingForm {...props} /> : null}
    </section>
  )
}
