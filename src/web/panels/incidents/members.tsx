import { useTranslations } from 'next-intl'
import type { RestIncidentDetails } from '../../../contract/alerts/incidents.ts'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { Time } from '../../ui/time.tsx'
import { IncidentState } from './state.tsx'

type Details = Pick<RestIncidentDetails, 'members' | 'membersTotal'>

/** The rules and issues of an incident. */
export function IncidentMembers({ organization, details }: { organization: string; details: Details }) {
  const t = useTranslations('incidents')
  const { members, membersTotal } = details
  return (
    <>
      <ScrollBox label={t('members')}>
        <table className="w-full text-left">
          <thead>
            <tr>
              {(['rule', 'issue', 'level', 'value', 'since'] as const).map((name) => (
                <th key={name} scope="col" className="pr-4 text-small font-normal text-ink-2">
                  {t(name)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {members.map(({ rule, issue, group, level, value, threshold, dateOpened, dateEnded }) => (
              <tr
                key={`${rule?.id} ${issue?.id} ${group} ${dateOpened}`}
                className="border-t border-line align-baseline"
              >
                <td className="min-w-24 max-w-60 py-1.5 pr-4 [overflow-wrap:anywhere]">
                  {rule ? <PlainText text={rule.name} /> : t('deleted')}
                  {group === null ? null : (
                    <>
                      : <PlainText text={group} charactersMax={120} />
                    </>
                  )}
                </td>
                <td className="min-w-32 pr-4 [overflow-wrap:anywhere]">
                  {issue ? (
                    <Link className="link" href={`/o/${organization}/issues/${issue.id}`}>
                      <PlainText text={`${issue.shortId}: ${issue.title}`} charactersMax={120} />
                    </Link>
                  ) : null}
                </td>
                <td className="pr-4">
                  <IncidentState status={dateEnded === null ? level : 'resolved'} />
                </td>
                <td className="pr-4">
                  {value === null || threshold === null ? '' : t('measured', { value, threshold })}
                </td>
                <td>
                  <Time at={Date.parse(dateOpened)} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
      {membersTotal > members.length ? (
        <p className="mt-2 text-small text-ink-2">{t('membersMore', { shown: members.length, total: membersTotal })}</p>
      ) : null}
    </>
  )
}
