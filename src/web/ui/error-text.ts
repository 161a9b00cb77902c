'use client'
import { useTranslations } from 'next-intl'
import { ApiError } from '../client/api.ts'

/** Returns a function for the text of an error, with its solution. Translated if there was no response. */
export function useErrorText(): (error: unknown) => string {
  const t = useTranslations('common')
  return (error) => {
    if (!(error instanceof ApiError)) return String(error)
    if (error.code === 'NETWORK') return `${t('noAnswer')} ${t('noAnswerTodo')}`
    return [error.message, ...error.causes].join(' ')
  }
}
