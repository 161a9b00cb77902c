'use client'
import { useRouter } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import type { RestGroupingPreview } from '../../../contract/grouping.ts'
import { ruleTextMax } from '../../../domain/alerts/rule-text.ts'
import { groupingConfigOf, groupingVersionOf, groupingVersions } from '../../../domain/grouping.ts'
import { ApiError, apiFetch } from '../../client/api.ts'
import { Button, Field, Select, TextArea } from '../../ui/forms/controls.tsx'
import { useToast } from '../../ui/toast.tsx'
import { sentenceOf } from './hashes.tsx'
import { Preview } from './preview.tsx'
import './grouping.css'

type Rules = { fingerprintingRules: string; groupingEnhancements: string; groupingConfig: string }
type Props = { organization: string; project: string; rules: Rules; revision: number; mayWrite: boolean }
type Wrong = { text: string; fields: Record<string, string[]> }

/** Form for both rule texts and the grouping version, with preview. Keeps typed text, shows errors per field. */
export function RulesForm({ organization, project, rules, revision, mayWrite }: Props) {
  const t = useTranslations('grouping.settings')
  const router = useRouter()
  const toast = useToast()
  const [typed, setTyped] = useState<Rules>(rules)
  const [busy, setBusy] = useState<'preview' | 'save' | undefined>(undefined)
  const [found, setFound] = useState<RestGroupingPreview | undefined>(undefined)
  const [wrong, setWrong] = useState<Wrong>({ text: '', fields: {} })
  const path = `projects/${organization}/${project}/`
  async function run(what: 'preview' | 'save', work: () => Promise<void>) {
    setBusy(what)
    setWrong({ text: '', fields: {} })
    try {
      await work()
    } catch (error) {
      const fields = error instanceof ApiError ? error.fields : {}
      setWrong({ text: Object.keys(fields).length > 0 ? '' : sentenceOf(error), fields })
    }
    setBusy(undefined)
  }
  const preview = () =>
    run('preview', async () => {
      setFound(undefined)
      setFound(await apiFetch<RestGroupingPreview>(`${path}grouping-preview/`, { method: 'POST', body: typed }))
    })
  const save = () =>
    run('save', async () => {
      await apiFetch(path, { method: 'PUT', body: { ...typed, revision } })
      toast({ text: t('saved'), kind: 'ok' })
      setFound(undefined)
      router.refresh()
    })
  const version = groupingVersions.find(
    (groupingVersion) => groupingVersion === groupingVersionOf(typed.groupingConfig),
  )
  const area = (name: 'fingerprintingRules' | 'groupingEnhancements', label: string, hint: string) => (
    <Field id={name} label={label} hint={hint} errors={wrong.fields[name]}>
      <TextArea
        id={name}
        rows={9}
        className="grouping-rules"
        maxLength={ruleTextMax}
        spellCheck={false}
        readOnly={!mayWrite}
        aria-describedby={`${name}-note`}
        aria-invalid={wrong.fields[name] ? true : undefined}
        value={typed[name]}
        onChange={(event) => {
          setFound(undefined)
          setTyped({ ...typed, [name]: event.target.value })
        }}
      />
    </Field>
  )
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      {area('fingerprintingRules', t('fingerprint'), t('fingerprintHint'))}
      {area('groupingEnhancements', t('stack'), t('stackHint'))}
      <Field
        id="groupingConfig"
        label={t('versionLabel')}
        hint={version && t(`versionSays.${version}`)}
        errors={wrong.fields['groupingConfig']}
      >
        <Select
          id="groupingConfig"
          aria-describedby="groupingConfig-note"
          disabled={!mayWrite}
          value={typed.groupingConfig}
          onChange={(event) => {
            setFound(undefined)
            setTyped({ ...typed, groupingConfig: event.target.value })
          }}
        >
          {groupingVersions.map((groupingVersion) => (
            <option key={groupingVersion} value={groupingConfigOf(groupingVersion)}>
              {t('version', { version: groupingVersion })}
            </option>
          ))}
        </Select>
      </Field>
      {typed.groupingConfig === rules.groupingConfig ? null : (
        <p className="text-small text-ink-2">{t('changeOver', { version: groupingVersionOf(rules.groupingConfig) })}</p>
      )}
      <p className="text-small text-ink-3">{t('docs')}</p>
      {mayWrite ? (
        <p className="flex flex-wrap gap-3">
          <Button onClick={() => void preview()} disabled={busy !== undefined}>
            {t('preview')}
          </Button>
          <Button type="submit" look="main" disabled={busy !== undefined}>
            {t('save')}
          </Button>
        </p>
      ) : null}
      {wrong.text ? (
        <p role="alert" className="text-error">
          {wrong.text}
        </p>
      ) : null}
      <div aria-live="polite">
        {busy === 'preview' ? <p className="text-ink-2">{t('previewing')}</p> : null}
        {found ? <Preview organization={organization} found={found} /> : null}
      </div>
    </form>
  )
}
