/**
 * Browsers limit cookies to 400 days. The expiry of a session is stored in the database and extends with use. A cookie
 * of 30 days would end it 30 days after sign-in, because page loads cannot renew a cookie.
 */
const cookieS = 400 * 86_400

/** Returns the cookies with the maximum lifetime for session cookies. */
export const lasting = (cookies: string[]) =>
  cookies.map((cookie) =>
    /^[^=;]*session_token=[^;]/.test(cookie) ? cookie.replace(/Max-Age=[1-9]\d*/i, `Max-Age=${cookieS}`) : cookie,
  )

/** Returns the response with the maximum lifetime for its session cookie. */
export function withLasting(response: Response): Response {
  if (!response.ok) return response
  const headers = new Headers(response.headers)
  headers.delete('set-cookie')
  for (const cookie of lasting(response.headers.getSetCookie())) headers.append('set-cookie', cookie)
  return new Response(response.body, { status: response.status, headers })
}
