/**
 * Browsers keep a cookie for 400 days at most. The session's own end, which slides with use, lies in the database;
 * a cookie of 30 days would end it 30 days after the sign-in, because page loads can't renew a cookie.
 */
const cookieS = 400 * 86_400

/** Session cookies that last as long as a browser keeps them. */
export const lasting = (cookies: string[]) =>
  cookies.map((cookie) =>
    /^[^=;]*session_token=[^;]/.test(cookie) ? cookie.replace(/Max-Age=[1-9]\d*/i, `Max-Age=${cookieS}`) : cookie,
  )

/** An answer whose session cookie lasts as long as a browser keeps it. */
export function withLasting(response: Response): Response {
  if (!response.ok) return response
  const headers = new Headers(response.headers)
  headers.delete('set-cookie')
  for (const cookie of lasting(response.headers.getSetCookie())) headers.append('set-cookie', cookie)
  return new Response(response.body, { status: response.status, headers })
}
