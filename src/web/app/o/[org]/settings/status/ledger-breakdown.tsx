'use client'
import { useQuery } from '@tanstack/react-query'
import { useLocale, useTranslations } from 'next-intl'
import { parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs'
import type { RestLedger } from '../../../../../../contract/status.ts'
import { ApiError, apiFetch } from '../../../../../client/api.ts'
import { sectionPath } from '../../../../../client/settings-pages.ts'
import { useTodo, Verdict } from '../../../../../panels/request-log/verdict.tsx'
import { type LedgerCategory, type LedgerGroup, ledgerGroups } from '../../../../../panels/request-log/verdicts.ts'
import { Select } from '../../../../../ui/forms/controls.tsx'
import { Link } from '../../../../../ui/link.tsx'
import { PlainText } from '../../../../../ui/plain-text.tsx'
import { bytesText } from '../../../../../ui/relative.ts'
import { ScrollBox } from '../../../../../ui/scroll-box.tsx'
import { Section, TableHead } from '../../../../../ui/section.tsx'
import { useTimeText } from '../../../../../ui/time.tsx'

const ranges = ['1h', '24h', '30d', '13m'] as const
const pollMs = 10_000

const parsers = {
  range: parseAsStringLiteral(ranges).withDefault('24h'),
  project: parseAsString.withDefault(''),
  key: parseAsString.withDefault(''),
}

function Category({ category, rows }: LedgerCategory) {
  const todo = useTodo()
  const locale = useLocale()
  const count = new Intl.NumberFormat(locale)
  return rows.map((row, index) => (
    <tr key={`${row.outcome}:${row.reason}`} className="align-top">
      <td>{index === 0 ? <code>{category}</code> : null}</td>
      <td>
        <Verdict outcome={row.outcome} />
      </td>
      <td>
        <code>{row.reason}</code>
        <div className="text-small text-ink-3">{todo(row.reason, row.todo)}</div>
      </td>
      <td className="number">{count.format(row.quantity)}</td>
      <td className="number whitespace-nowrap">{bytesText(row.bytes, locale)}</td>
    </tr>
  ))
}

function Project({ organization, group, open }: { organization: string; group: LedgerGroup; open: boolean }) {
  const t = useTranslations('operation.ledger')
  return (
    <details open={open} className="border-t border-line py-2">
      <summary className="cursor-pointer">
        <span className="font-[550]">{group.slug ?? t('nobody')}</span>{' '}
        <span className="text-ink-3">{t('items', { count: group.quantity })}</span>
      </summary>
      {group.slug ? (
        <p className="mt-1">
          <Link className="link" href={sectionPath('ingest', organization, group.slug)}>
            {t('debugger')}
          </Link>
        </p>
      ) : null}
      <ScrollBox label={group.slug ?? t('nobody')}>
        <table className="table">
          <TableHead
            columns={[
              { text: t('category') },
              { text: t('end') },
              { text: t('reason') },
              { text: t('quantity'), number: true },
              { text: t('bytes'), number: true },
            ]}
          />
          <tbody>
            {group.categories.map((category) => (
              <Category key={category.category} {...category} />
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </details>
  )
}

/** The projects and keys with items in the range, to choose from. */
function choicesOf(all: RestLedger | undefined, project: string) {
  const rows = all?.rows ?? []
  const projects = [...new Set(rows.flatMap((row) => (row.project ? [row.project.slug] : [])))].sort()
  const filtered = rows.filter((row) => row.key && (project === '' || row.project?.slug === project))
  const keys = new Map(filtered.flatMap((row) => (row.key ? [[row.key.id, row.key.label || row.key.id] as const] : [])))
  return { projects, keys: [...keys] }
}

/** Outcomes of items by project, category and reason, with advice. For a range and optionally one key. */
export function LedgerBreakdown({ organization }: { organization: string }) {
  const t = useTranslations('operation.ledger')
  const { text, zone } = useTimeText()
  const [{ range, project, key }, set] = useQueryStates(parsers)
  const path = `organizations/${encodeURIComponent(organization)}/ledger/`
  const queryFor = (selection: { project?: string; key?: string }) => ({
    queryKey: ['ledger', path, range, selection.project ?? '', selection.key ?? ''],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      apiFetch<RestLedger>(path, {
        signal,
        query: { range, project: selection.project || undefined, key: selection.key || undefined },
      }),
    refetchInterval: pollMs,
    placeholderData: (before: RestLedger | undefined) => before,
  })
  const all = useQuery(queryFor({}))
  const { data, error } = useQuery(queryFor({ project, key }))
  const groups = ledgerGroups(data?.rows ?? [])
  const choices = choicesOf(all.data, project)
  return (
    <Section title={t('title')} note={t('note')}>
      <div className="mb-2 flex flex-wrap items-center gap-3">
        <Select
          className="w-auto"
          aria-label={t('range')}
          value={range}
          onChange={(event) =>
            void set({ range: ranges.find((candidate) => candidate === event.target.value) ?? null })
          }
        >
          {ranges.map((choice) => (
            <option key={choice} value={choice}>
              {t(choice)}
            </option>
          ))}
        </Select>
        <Select
          className="w-auto"
          aria-label={t('project')}
          value={project}
          onChange={(event) => void set({ project: event.target.value || null, key: null })}
        >
          <option value="">{t('all')}</option>
          {choices.projects.map((slug) => (
            <option key={slug}>{slug}</option>
          ))}
        </Select>
        <Select
          className="w-auto"
          aria-label={t('key')}
          value={key}
          onChange={(event) => void set({ key: event.target.value || null })}
        >
          <option value="">{t('allKeys')}</option>
          {choices.keys.map(([id, label]) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </Select>
        {data ? (
          <span className="text-small text-ink-3">
            {t('from', { at: text(Date.parse(data.from), 'minute') })}, {zone}
          </span>
        ) : null}
      </div>
      {error instanceof ApiError ? (
        <p role="alert" className="text-error">
          <PlainText text={error.message} />
        </p>
      ) : null}
      {data && groups.length === 0 ? <p className="text-ink-2">{t('none')}</p> : null}
      {groups.map((group) => (
        <Project
          key={group.slug ?? ''}
          organization={organization}
          group={group}
          open={groups.length === 1 || group.slug !== null}
        />
      ))}
    </Section>
  )
}
