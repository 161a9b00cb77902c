import { cookies, headers } from 'next/headers'
import { app } from '../handle.ts'
import { parseSetCookie } from './set-cookie.ts'

/** Hands the Set-Cookie values of auth to the answer of the running server action. */
export async function keepCookies(lines: readonly string[]): Promise<void> {
  const jar = await cookies()
  for (const line of lines) {
    const parts = parseSetCookie(line)
    if (parts) jar.set(parts.name, parts.value, parts.options)
  }
}

/** Diagnostics in and sets the login cookie; throws AUTH_FAILED or AUTH_LOCKED. For server actions. */
export async function signInHere(email: string, password: string): Promise<void> {
  const { cookies: lines } = await app().auth.signIn({ email, password, headers: await headers() })
  await keepCookies(lines)
}
