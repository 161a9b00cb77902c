'use client'
import { ChevronsUpDown, Search } from 'lucide-react'
import { useParams, usePathname } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { type ReactNode, useEffect, useState } from 'react'
import {
  accountPages,
  allowedPages,
  type ProjectSectionId,
  projectSections,
  type SettingsRights,
  sectionPath,
} from '../../client/settings-pages.ts'
import { choicesFor } from '../../ui/forms/choice-dialog.tsx'
import { Link } from '../../ui/link.tsx'
import { Menu } from '../../ui/menu.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Rail } from '../../ui/rail.tsx'

/** `missesMaps`: events of the project wait for a source map. */
type MenuProject = { slug: string; name: string; keys: number; missesMaps: boolean }
type MenuCounts = { members: number; notifications: number; failing: number; tokens: number }
type MenuProps = {
  organization: { slug: string; name: string }
  person: string
  projects: readonly MenuProject[]
  /** Slug of the project that the person selected last. */
  selected: string | undefined
  rights: SettingsRights
  counts: MenuCounts
}

type Row = { id: string; href: string; text: string; words: string; count?: number; problem?: string; warning?: string }

function useRows({ organization, rights, counts }: MenuProps, project: MenuProject | undefined) {
  const t = useTranslations('frame.settings')
  const sections = useTranslations('projectSettings')
  const base = `/o/${organization.slug}`
  const account = accountPages.map(
    ({ id, path }): Row => ({
      id,
      href: base + path,
      text: t(id),
      words: t(`words.${id}`),
      ...(id === 'tokens' ? { count: counts.tokens } : {}),
    }),
  )
  const ofOrganization = allowedPages(rights).map(
    ({ id, path }): Row => ({
      id,
      href: base + path,
      text: t(id),
      words: t(`words.${id}`),
      ...(id === 'members' || id === 'notifications' ? { count: counts[id] } : {}),
      ...(id === 'notifications' && counts.failing ? { problem: t('failing', { count: counts.failing }) } : {}),
    }),
  )
  const ofProject = project
    ? projectSections.map(
        ({ id }): Row => ({
          id,
          href: sectionPath(id, organization.slug, project.slug),
          text: sections(id),
          words: t(`words.${id}`),
          ...(id === 'keys' ? { count: project.keys } : {}),
          ...(id === 'sources' && project.missesMaps ? { warning: t('mapsMissing') } : {}),
        }),
      )
    : []
  return { account, ofOrganization, ofProject }
}

/** Rows whose text or words contain every typed word. */
const matching = (rows: readonly Row[], text: string): Row[] => {
  const found = new Set(
    choicesFor(
      rows.map(({ href, text: name, words }) => ({ id: href, text: name, note: words, run: () => {} })),
      text,
    ).map((choice) => choice.id),
  )
  return rows.filter((row) => found.has(row.href))
}

function Group({ title, rows, children }: { title: ReactNode; rows: readonly Row[]; children?: ReactNode }) {
  const path = usePathname()
  if (rows.length === 0) return null
  return (
    <section>
      <p className="settings-heading">{title}</p>
      {children}
      <ul>
        {rows.map(({ id, href, text, count, problem, warning }) => (
          <li key={id}>
            <Link href={href} className="settings-row" aria-current={path === href ? 'page' : undefined}>
              <span className="grow">{text}</span>
              {problem ? <span className="settings-problem">{problem}</span> : null}
              {warning ? <span className="settings-warning">{warning}</span> : null}
              {count && !problem ? <span className="settings-count">{count}</span> : null}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Opens the same settings page of another project. */
function ProjectSwitch({
  organization,
  projects,
  project,
}: {
  organization: string
  projects: readonly MenuProject[]
  project: MenuProject
}) {
  const t = useTranslations('frame.settings')
  const path = usePathname()
  const here = projectSections.find(({ id }) => sectionPath(id, organization, project.slug) === path)
  const id: ProjectSectionId = here?.id ?? 'general'
  return (
    <Menu
      name={t('switchProject', { name: project.name })}
      className="settings-switch"
      panelClass="settings-switch-panel"
      summary={
        <>
          <Rail place={projects.indexOf(project)} />
          <span className="shell-text">
            <PlainText text={project.slug} charactersMax={64} />
          </span>
          <ChevronsUpDown size={13} strokeWidth={1.75} aria-hidden="true" />
        </>
      }
    >
      <ul>
        {projects.map((choice, place) => (
          <li key={choice.slug}>
            <Link
              href={sectionPath(id, organization, choice.slug)}
              className="menu-row"
              aria-current={choice === project ? 'true' : undefined}
            >
              <Rail place={place} /> <PlainText text={choice.slug} charactersMax={64} />
            </Link>
          </li>
        ))}
      </ul>
    </Menu>
  )
}

/** The menu of all settings. Below 720 px it is folded above the page. */
export function SettingsMenu(props: MenuProps) {
  const { organization, person, projects, selected } = props
  const t = useTranslations('frame.settings')
  const params = useParams<{ project?: string }>()
  const path = usePathname()
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: folds after each navigation
  useEffect(() => setOpen(false), [path])
  const slugHere = params.project === undefined ? selected : decodeURIComponent(params.project)
  const project = projects.find((choice) => choice.slug === slugHere) ?? projects[0]
  const rows = useRows(props, project)
  const all = [rows.account, rows.ofOrganization, rows.ofProject].map((group) => matching(group, text))
  const [account = [], ofOrganization = [], ofProject = []] = all
  return (
    <div className="settings-menu" data-open={isOpen || undefined}>
      {/* biome-ignore lint/a11y/useValidAnchor: a link, because without scripts its hash shows the menu */}
      <a
        href="#settings-nav"
        className="settings-fold"
        aria-expanded={isOpen}
        onClick={(event) => {
          event.preventDefault()
          setOpen(!isOpen)
        }}
      >
        {t('menu')}
      </a>
      <nav id="settings-nav" aria-label={t('title')} className="settings-nav">
        <label className="settings-find">
          <Search size={13} strokeWidth={1.75} aria-hidden="true" />
          <span className="visually-hidden">{t('find')}</span>
          <input
            type="search"
            placeholder={t('find')}
            autoComplete="off"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </label>
        {all.every((group) => group.length === 0) ? <p className="settings-heading">{t('none')}</p> : null}
        <Group title={t('account', { name: person })} rows={account} />
        <Group title={t('ofOrganization', { name: organization.name })} rows={ofOrganization} />
        <Group title={t('project')} rows={ofProject}>
          {project ? <ProjectSwitch organization={organization.slug} projects={projects} project={project} /> : null}
        </Group>
      </nav>
    </div>
  )
}
