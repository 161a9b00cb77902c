'use client'
import { useTranslations } from 'next-intl'
import { Choices, Popup } from '../../ui/popup.tsx'
import { Rail } from '../../ui/rail.tsx'
import { useEditor } from './editor-context.ts'

/** The projects of the rule; none means all. */
export function ProjectPick() {
  const t = useTranslations('alerts.form')
  const filters = useTranslations('issues.filters')
  const { draft, change, projects, mayWrite } = useEditor()
  const { projects: chosen } = draft
  const [first] = chosen
  const text =
    chosen.length === 0
      ? t('allProjects')
      : chosen.length > 2
        ? t('someProjects', { name: first ?? '', count: chosen.length - 1 })
        : chosen.join(', ')
  const place = projects.findIndex(({ slug }) => slug === first)
  const rail = place < 0 ? null : <Rail place={place} />
  if (!mayWrite)
    return (
      <b className="alert-fixed">
        {rail} {text}
      </b>
    )
  return (
    <span className="alert-projects">
      {rail}
      <Popup name="project" label={t('projects')} isLabelHidden value={text}>
        {() => (
          <Choices
            multiple
            label={t('projects')}
            filterLabel={filters('find')}
            choices={[
              { value: '', text: t('allProjects'), isChosen: chosen.length === 0 },
              ...projects.map(({ slug, name }) => ({ value: slug, text: name, isChosen: chosen.includes(slug) })),
            ]}
            choose={(slug) =>
              change({
                projects:
                  slug === ''
                    ? []
                    : chosen.includes(slug)
                      ? chosen.filter((other) => other !== slug)
                      : [...chosen, slug],
              })
            }
          />
        )}
      </Popup>
    </span>
  )
}
