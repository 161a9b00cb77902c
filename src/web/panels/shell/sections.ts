import {
  Bell,
  ChartNoAxesCombined,
  ChartSpline,
  Gauge,
  Inbox,
  LayoutDashboard,
  LayoutGrid,
  ListTree,
  type LucideIcon,
  MessageSquare,
  ScrollText,
  Tag,
} from 'lucide-react'
import { useTranslations } from 'next-intl'
import type { RestIssueCounts } from '../../../contract/search.ts'
import { type Frame, projectSearch } from './frame.ts'

type Section = {
  /** The path of the section's first page. */
  href: string
  /** Only its own page counts as the section. */
  isExact: boolean
  label: string
  Icon: LucideIcon
  /** A tab of the phone's bar, which has space for four of them. */
  isTab: boolean
  /** New or open things in it. */
  count: number | undefined
  /** The search of its link: the selected projects, where the section has them. */
  search: string
  /** A sentence about what is broken in it. */
  problem?: string | undefined
}

const tabs: ReadonlySet<string> = new Set(['', '/issues', '/performance', '/logs'])

/** The sections of an organization, in the order of the sidebar and of the bar of tabs. */
export function useSections(
  { organization, failingChannels }: Frame,
  counts: RestIssueCounts | undefined,
  remembered: readonly string[],
): Section[] {
  const t = useTranslations('frame')
  const shell = useTranslations('shell')
  const people = useTranslations('people')
  const boards = useTranslations('boards')
  const alerts = useTranslations('alerts')
  const base = `/o/${organization.slug}`
  const project = projectSearch(remembered)
  const unresolved = counts?.projects.reduce((sum, row) => sum + row.unresolved, 0)
  const section = (path: string, label: string, Icon: LucideIcon, count?: number, search = ''): Section => ({
    href: base + path,
    isExact: path === '',
    isTab: tabs.has(path),
    label,
    Icon,
    count,
    search,
  })
  return [
    section('', t('overview'), LayoutDashboard),
    section('/issues', shell('issues'), Inbox, unresolved, project),
    section('/performance', t('performance'), Gauge, undefined, project),
    section('/traces', shell('traces'), ListTree, undefined, project),
    section('/logs', shell('logs'), ScrollText, undefined, project),
    section('/metrics', t('metrics'), ChartSpline, undefined, project),
    section('/explore', t('explore'), ChartNoAxesCombined, undefined, project),
    section('/dashboards', boards('name'), LayoutGrid),
    section('/releases', shell('releases'), Tag, undefined, project),
    section('/feedback', people('feedback'), MessageSquare, counts?.newFeedback),
    {
      ...section('/alerts', alerts('list.title'), Bell),
      problem: failingChannels > 0 ? t('settings.failing', { count: failingChannels }) : undefined,
    },
  ]
}
