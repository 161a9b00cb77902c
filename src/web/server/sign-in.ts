import { cookies, headers } from 'next/headers'
import { app } from '../handle.ts'
import { parseSetCookie } from './set-cookie.ts'

/** Copies the Set-Cookie lines of auth to the response of the running server action. */
export async function keepCookies(lines: readonly string[]): Promise<void> {
  const jar = await cookies()
  for (const line of lines) {
    const parts = parseSetCookie(line)
    if (parts) jar.set(parts.name, parts.value, parts.options)
  }
}

/** Signs in and sets the login cookie. For server actions. Throws AUTH_FAILED or AUTH_LOCKED. */
export async function signInHere(email: string, password: string): Promise<void> {
  const { cookies: lines } = await app().auth.signIn({ email, password, headers: await headers() })
  await keepCookies(lines)
}
