import type { Metadata } from 'next'
import { getLocale, getTranslations } from 'next-intl/server'
import { groupingConfigOf } from '../../../../../../../../domain/grouping.ts'
import { app } from '../../../../../../../handle.ts'
import { RulesForm } from '../../../../../../../panels/grouping/rules-form.tsx'
import { demandProject } from '../../../../../../../server/session.ts'
import { ProjectHead } from '../project-head.tsx'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('projectSettings'))('groupingTitle') }
}

/** Rules of grouping of a project, and its version. */
export default async function GroupingSettingsPage({ params }: { params: Promise<{ org: string; project: string }> }) {
  const { org, project: slug } = await params
  const { actor, organization, project } = await demandProject(
    org,
    slug,
    `/o/${org}/settings/projects/${slug}/grouping`,
  )
  const t = await getTranslations('grouping.settings')
  const { auth, meta, clock } = app()
  const mayWrite = auth.may(actor, 'project:write', { organization, project }) === 'yes'
  const { fingerprintRules, stackRules, version, secondary, secondaryUntilMs = 0 } = meta.groupingSettings(project.id)
  const until = new Intl.DateTimeFormat(await getLocale(), { dateStyle: 'medium', timeZone: 'UTC' })
  return (
    <div className="page max-w-[860px]">
      <ProjectHead base={`/o/${organization.slug}`} project={project} here="grouping" />
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
          {t('until', { version: secondary, date: until.format(secondaryUntilMs) })}
        </p>
      ) : null}
    </div>
  )
}
