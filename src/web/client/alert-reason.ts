import { useTranslations } from 'next-intl'
import { type AlertReasonCode, alertReasonCode, mutedStart } from '../../domain/alerts/alert-reasons.ts'

/**
 * Returns a function that puts a reason of the alert log into the reader's language. `text`: the stored sentence. Words of a
 * service stay as they are.
 */
export function useAlertReason(): (text: string, code?: AlertReasonCode | null) => string {
  const t = useTranslations('alerts.reasons')
  return (text, code = alertReasonCode(text) ?? null) => {
    if (code === null) return text
    return code === 'muted' ? t('muted', { mute: text.slice(mutedStart.length) }) : t(code)
  }
}
