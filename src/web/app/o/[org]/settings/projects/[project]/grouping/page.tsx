import { getFormatter, getTranslations } from 'next-intl/server'
import { groupingConfigOf } from '../../../../../../../../domain/grouping.ts'
import { app } from '../../../../../../../handle.ts'
import { RulesForm } from '../../../../../../../panels/grouping/rules-form.tsx'
import { type SettingsContext, settingsPage, settingsTitle } from '../settings-page.tsx'

/** A project's grouping rules and grouping version. */
async function GroupingRules({ here: { actor, organization, project } }: SettingsContext) {
  const t = await getTranslations('grouping.settings')
  const { auth, meta, clock } = app()
  const mayWrite = (await auth.may(actor, 'project:write', { organization, project })) === 'yes'
  const {
    fingerprintRules,
    stackRules,
    version,
    secondary,
    secondaryUntilMs = 0,
  } = await meta.projects.groupingSettings(project.id)
  const format = await getFormatter()
  return (
    <>
      <p className="mb-4 max-w-[72ch] text-ink-2">{mayWrite ? t('intro') : t('readOnly')}</p>
      <RulesForm
        key={project.rev}
        organization={organization.slug}
        project={String(project.id)}
        rules={{
          fingerprintingRules: fingerprintRules,
          groupingEnhancements: stackRules,
          groupingConfig: groupingConfigOf(version),
        }}
        revision={project.rev}
        mayWrite={mayWrite}
      />
      {secondary !== undefined && secondaryUntilMs > clock.now() ? (
        <p className="mt-4 text-small text-ink-3">
          {t('until', { version: secondary, date: format.dateTime(secondaryUntilMs, { dateStyle: 'medium' }) })}
        </p>
      ) : null}
    </>
  )
}

export const generateMetadata = settingsTitle('grouping')

export default settingsPage('grouping', [{ id: 'grouping', Component: GroupingRules }])
