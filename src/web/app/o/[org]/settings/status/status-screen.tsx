'use client'
import { useQuery } from '@tanstack/react-query'
import { useLocale, useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import type {
  RestIngestHealth,
  RestJob,
  RestOrganizationStatus,
  RestStatus,
} from '../../../../../../contract/status.ts'
import { apiFetch } from '../../../../../client/api.ts'
import { PlainText } from '../../../../../ui/plain-text.tsx'
import { bytesText, durationText } from '../../../../../ui/relative.ts'
import { ScrollBox } from '../../../../../ui/scroll-box.tsx'
import { Section, TableHead } from '../../../../../ui/section.tsx'
import { SeverityShape } from '../../../../../ui/severity.tsx'
import { EmptyState, QueryFailed } from '../../../../../ui/states.tsx'
import { useAge } from '../../../../../ui/time.tsx'
import { Budget } from './budget.tsx'
import { DeadLetters } from './dead-letters.tsx'
import { advisoryRows, ledgerRows, type Sums } from './ledger.ts'
import { LedgerBreakdown } from './ledger-breakdown.tsx'
import { Jobs, Strangers, Usage } from './operation.tsx'
import { organizationProblems, problemsOf } from './problems.ts'
import { Regroupings } from './reprocessing.tsx'
import { StatusVerdict } from './verdict.tsx'

/** Polling interval, ms. */
const pollMs = 5000

/** Says that the events store is down. A ClickHouse server is named, because a person has to look after it. */
function downText(t: ReturnType<typeof useTranslations<'status'>>, { host, away }: RestStatus['engine']): string {
  return host === null ? t('down') : t(`serverAway.${away ?? 'silent'}`, { host })
}

/** Which events store is used, and its version. */
function StoreNote({ engine: { host, version } }: { engine: RestStatus['engine'] }) {
  const t = useTranslations('status')
  return (
    <>
      {host === null ? null : `${t('server', { host })} `}
      {version ? <code>{version}</code> : null}
    </>
  )
}

function Now({ status }: { status: RestStatus }) {
  const t = useTranslations('status')
  const locale = useLocale()
  const age = useAge()
  const { engine, blobStore, journal, disk } = status
  const store: [string, ReactNode, ReactNode?] = [
    t('blobs'),
    blobStore.up ? t('blobPlaces.up') : t('blobPlaces.away'),
    blobStore.reason ? <PlainText key="r" text={blobStore.reason} charactersMax={300} /> : undefined,
  ]
  const ageOf = (ms: number) => (ms > 0 ? durationText(ms, locale) : t('nothingWaits'))
  const rows: [string, ReactNode, ReactNode?][] = [
    [t('version'), <code key="v">{status.version}</code>, t('running', { age: age(Date.parse(status.startedAt)) })],
    [t('engine'), engine.up ? t('up') : downText(t, engine), <StoreNote key="v" engine={engine} />],
    ...(blobStore.place === 's3' ? [store] : []),
    [
      t('lag'),
      ageOf(journal.oldestWaitingMs),
      t('lagBytes', { bytes: bytesText(journal.lagBytes, locale), bound: bytesText(journal.boundBytes, locale) }),
    ],
    [t('lagOfErrors'), ageOf(journal.eventsWaitingMs), t('lagOfErrorsNote')],
    [
      t('disk'),
      bytesText(disk.dataBytes, locale),
      t('diskFree', { free: bytesText(disk.freeBytes, locale), total: bytesText(disk.totalBytes, locale) }),
    ],
  ]
  return (
    <>
      <dl className="mb-8 grid grid-cols-[max-content_max-content_1fr] items-baseline gap-x-6 border-t border-line">
        {rows.map(([name, value, noteText]) => (
          <div key={name} className="col-span-3 grid grid-cols-subgrid items-baseline border-b border-line py-2">
            <dt className="text-ink-2">{name}</dt>
            <dd className="flex items-center gap-2 text-strong">
              {name === t('engine') ? <SeverityShape level={engine.up ? 'ok' : 'error'} label="" /> : null}
              {name === t('blobs') ? <SeverityShape level={blobStore.up ? 'ok' : 'error'} label="" /> : null}
              {value}
            </dd>
            <dd className="text-small text-ink-3">{noteText}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}

function Ledger({ ledger }: { ledger: Sums }) {
  const t = useTranslations('status')
  const count = new Intl.NumberFormat(useLocale())
  return (
    <>
      <Section title={t('ledger')} note={t('ledgerNote')}>
        <ScrollBox label={t('ledger')}>
          <table className="table max-w-[560px]">
            <tbody>
              {ledgerRows(ledger).map(({ id, quantity, sign, isBug }) => (
                <tr key={id}>
                  <td className="w-6 text-ink-3">{sign}</td>
                  <td className={id === 'received' ? 'font-semibold' : ''}>
                    {t(`ends.${id}`)} {isBug ? <SeverityShape level="error" label={t('bug')} /> : null}
                  </td>
                  <td className={`number ${isBug ? 'text-error' : ''}`}>{count.format(quantity)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollBox>
        <p className="mt-2 text-small text-ink-3">{t('discards', { count: ledger.clientDiscards })}</p>
        {ledger.own > 0 ? <p className="mt-1 text-small text-ink-3">{t('own', { count: ledger.own })}</p> : null}
        {ledger.thinned > 0 ? (
          <p className="mt-1 text-small text-ink-3">{t('thinned', { count: ledger.thinned })}</p>
        ) : null}
      </Section>
    </>
  )
}

function Tables({ tables }: { tables: RestStatus['disk']['tables'] }) {
  const t = useTranslations('status')
  const locale = useLocale()
  const count = new Intl.NumberFormat(useLocale())
  if (tables.length === 0) return <p className="text-ink-2">{t('nothing')}</p>
  return (
    <ScrollBox label={t('storage')}>
      <table className="table">
        <TableHead
          columns={[
            { text: t('table') },
            { text: t('rows'), number: true },
            { text: t('onDisk'), number: true },
            { text: t('raw'), number: true },
          ]}
        />
        <tbody>
          {tables.map((row) => (
            <tr key={row.table}>
              <td>
                <code>{row.table}</code>
              </td>
              <td className="number">{count.format(row.rows)}</td>
              <td className="number whitespace-nowrap">{bytesText(row.bytesOnDisk, locale)}</td>
              <td className="number whitespace-nowrap">{bytesText(row.bytesRaw, locale)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}

function Versions({ versions }: { versions: RestStatus['versions'] }) {
  const t = useTranslations('status')
  return (
    <ul className="max-w-[560px]">
      {advisoryRows(versions).map(({ name, version, advisory }) => (
        <li key={name} className="flex flex-wrap items-baseline gap-x-3 border-b border-line py-1">
          <code className="grow">{name}</code>
          <code className="text-ink-2">{version}</code>
          {advisory ? (
            <span className="flex w-full items-baseline gap-2 text-error">
              <SeverityShape level="error" label={t('advisory')} />
              {advisory}
            </span>
          ) : null}
        </li>
      ))}
    </ul>
  )
}

/** The health of the sidebar, with the same key, so that both show the same. */
function useHealth(organization: string): RestIngestHealth | undefined {
  return useQuery({
    queryKey: ['health', organization],
    queryFn: ({ signal }) => apiFetch<RestIngestHealth>(`organizations/${organization}/health/`, { signal }),
    refetchInterval: pollMs,
    retry: false,
  }).data
}

/** For members: the outcomes of their organization's items. Refreshes every 5 s. */
export function OrganizationStatus({ organization, mayHandle }: { organization: string; mayHandle: boolean }) {
  const t = useTranslations('status')
  const common = useTranslations('common')
  const health = useHealth(organization)
  const path = `organizations/${encodeURIComponent(organization)}/status/`
  const { data, error } = useQuery({
    queryKey: ['status', path],
    queryFn: ({ signal }) => apiFetch<RestOrganizationStatus>(path, { signal }),
    refetchInterval: pollMs,
  })
  return (
    <div className="settings-page" data-wide>
      <header className="page-head">
        <h1>{t('title')}</h1>
        <p className="text-ink-2">{t('ofOrganization')}</p>
      </header>
      <QueryFailed error={error} />
      {data ? (
        <>
          <StatusVerdict organization={organization} problems={organizationProblems(data, health)} health={health} />
          <Ledger ledger={data.ledger} />
          <LedgerBreakdown organization={organization} />
          <DeadLetters organization={organization} mayHandle={mayHandle} />
          <Regroupings organization={organization} />
          <Usage organization={organization} />
        </>
      ) : error ? null : (
        <EmptyState title={common('loading')} />
      )}
    </div>
  )
}

/** For operators: first what is wrong, then dead letters, ledger and disk. Lag, jobs and versions are folded. Refreshes every 5 s. `mayHandle`: dead letters. */
export function StatusScreen({ organization, mayHandle }: { organization: string; mayHandle: boolean }) {
  const t = useTranslations('status')
  const frame = useTranslations('frame.status')
  const common = useTranslations('common')
  const health = useHealth(organization)
  const { data: jobs } = useQuery({
    queryKey: ['jobs'],
    queryFn: ({ signal }) => apiFetch<RestJob[]>('status/jobs/', { signal }),
    refetchInterval: pollMs,
  })
  const { data, error } = useQuery({
    queryKey: ['status'],
    queryFn: ({ signal }) => apiFetch<RestStatus>('status/', { signal }),
    refetchInterval: pollMs,
  })
  return (
    <div className="settings-page" data-wide>
      <header className="page-head">
        <h1>{t('title')}</h1>
      </header>
      <QueryFailed error={error} />
      {data ? (
        <>
          <StatusVerdict organization={organization} problems={problemsOf(data, jobs, health)} health={health} />
          <DeadLetters organization={organization} mayHandle={mayHandle} />
          <Ledger ledger={data.ledger} />
          <LedgerBreakdown organization={organization} />
          <Usage organization={organization} />
          <Budget disk={data.disk} />
          <Strangers />
          <details className="internals">
            <summary className="internals-head">
              {frame('internals')} <span className="text-small font-normal text-ink-3">{frame('internalsNote')}</span>
            </summary>
            <Now status={data} />
            <Jobs />
            <Regroupings organization={organization} />
            <Section title={t('storage')}>
              <Tables tables={data.disk.tables} />
            </Section>
            <Section title={t('versions')} note={t('versionsNote')}>
              <Versions versions={data.versions} />
            </Section>
          </details>
        </>
      ) : error ? null : (
        <EmptyState title={common('loading')} />
      )}
    </div>
  )
}
