import { withBase } from '../base-path.ts'

export type Theme = 'light' | 'dark' | 'system'

/** The chosen theme, read from the root element. */
export function chosenTheme(): Theme {
  const theme = document.documentElement.dataset.theme
  return theme === 'light' || theme === 'dark' ? theme : 'system'
}

/** Whether the page shows dark colours now. */
export function isDark(): boolean {
  const theme = chosenTheme()
  return theme === 'system' ? window.matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark'
}

/** Applies a theme and stores it in a cookie for one year, so that the server renders it from the first byte. */
export function setTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  // biome-ignore lint/suspicious/noDocumentCookie: not every supported browser has the Cookie Store API
  document.cookie = `theme=${theme}; path=${withBase('/')}; max-age=${theme === 'system' ? 0 : 31_536_000}; samesite=lax`
}
