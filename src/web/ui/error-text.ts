'use client'
import { useTranslations } from 'next-intl'
import { ApiError } from '../client/api.ts'

/** A function that says why a call failed, and what to do: in the person's language where nothing answered. */
export function useErrorText(): (error: unknown) => string {
  const t = useTranslations('common')
  return (error) => {
    if (!(error instanceof ApiError)) return String(error)
    if (error.code === 'NETWORK') return `${t('noAnswer')} ${t('noAnswerTodo')}`
    return [error.message, ...error.causes].join(' ')
  }
}
