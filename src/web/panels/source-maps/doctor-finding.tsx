import { useTranslations } from 'next-intl'
import type { DoctorFinding } from '../../../domain/doctor.ts'
import { CopyButton } from '../../ui/copy/copy-button.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'

/** Formats times for display, other values unchanged. Hostile text is safe, because it is only a parameter. */
const valuesOf = ({ data }: DoctorFinding): Record<string, string> =>
  data.when ? { ...data, when: `${data.when.slice(0, 16).replace('T', ' ')} UTC` } : data

/** A finding of the doctor, with fix and command. Works on the server and in the browser. */
export function Finding({ finding, count }: { finding: DoctorFinding; count?: number }) {
  const t = useTranslations('doctor')
  const values = valuesOf(finding)
  return (
    <div className="doctor-said">
      <p className="doctor-message">
        <PlainText text={t(`finding.${finding.code}.message`, values)} charactersMax={1500} />
        {count !== undefined && count > 1 ? <span className="text-ink-3"> · {t('times', { count })}</span> : null}
      </p>
      <p className="doctor-mend">
        <PlainText text={t(`finding.${finding.code}.mend`, values)} charactersMax={1000} />
      </p>
      {finding.command === null || finding.weight === 'note' ? null : (
        <div className="doctor-command">
          <ScrollBox label={t('command')}>
            <pre>
              <PlainText text={finding.command} charactersMax={4000} />
            </pre>
          </ScrollBox>
          <CopyButton text={finding.command} label={t('copy')} />
        </div>
      )}
    </div>
  )
}
