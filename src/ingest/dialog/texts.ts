/** Texts of the crash-report dialog, without placeholders. Query parameters of the same names override them. */
export type DialogTexts = {
  title: string
  subtitle: string
  subtitle2: string
  labelName: string
  labelEmail: string
  labelComments: string
  labelClose: string
  labelSubmit: string
  errorGeneric: string
  errorFormEntry: string
  successMessage: string
}

export const dialogTexts: Record<'en' | 'de', DialogTexts> = {
  en: {
    title: 'Something went wrong here.',
    subtitle: 'The developers have been notified.',
    subtitle2: 'If you want to help, describe what happened.',
    labelName: 'Name',
    labelEmail: 'E-mail',
    labelComments: 'What happened?',
    labelClose: 'Close',
    labelSubmit: 'Send',
    errorGeneric: 'Your report could not be sent. Please try again in a moment.',
    errorFormEntry: 'Please describe what happened and check the e-mail address.',
    successMessage: 'Your report has been sent. Thank you!',
  },
  de: {
    title: 'Hier ist etwas schiefgegangen.',
    subtitle: 'Die Entwickler wurden informiert.',
    subtitle2: 'Wenn Sie helfen möchten, schreiben Sie, was passiert ist.',
    labelName: 'Name',
    labelEmail: 'E-Mail',
    labelComments: 'Was ist passiert?',
    labelClose: 'Schließen',
    labelSubmit: 'Senden',
    errorGeneric: 'Ihr Bericht konnte nicht gesendet werden. Bitte versuchen Sie es gleich noch einmal.',
    errorFormEntry: 'Bitte schreiben Sie, was passiert ist, und prüfen Sie die E-Mail-Adresse.',
    successMessage: 'Ihr Bericht wurde gesendet. Vielen Dank!',
  },
}

/** Returns the first requested language that has texts, or English. */
export function dialogLanguage(acceptLanguage: string): 'en' | 'de' {
  for (const part of acceptLanguage.toLowerCase().split(',')) {
    if (/^\s*de\b/.test(part)) return 'de'
    if (/^\s*en\b/.test(part)) return 'en'
  }
  return 'en'
}
