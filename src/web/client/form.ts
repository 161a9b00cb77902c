/** The state of a form after its action: field errors, one general error, and the typed values (never passwords). */
export type FormState = {
  fields: Record<string, string[]>
  error: string | null
  values: Record<string, string>
  done: boolean
}

export const noState: FormState = { fields: {}, error: null, values: {}, done: false }

/** The state of a form with conflict detection. `stale` is set, with the person, if somebody else saved first. */
export type GuardedState = FormState & { stale: { by: string | null } | null }

export const noGuardedState: GuardedState = { ...noState, stale: null }

/** An expected failure of another part of the process. Its class may come from another bundle, so check its shape. */
export type Failure = {
  code: string
  message: string
  fields: Record<string, string[]>
  retryAfterS: number | undefined
  /** After a conflict: who made the newer change, null if unknown. */
  current: { by: string | null } | undefined
}

/** Reads the author of the newer change from the `current` field of a conflict. */
export function readCurrent(current: Record<string, unknown> | undefined): Failure['current'] {
  if (!current) return undefined
  const person = current.changedBy as { name?: unknown; email?: unknown } | null | undefined
  const by = [person?.name, person?.email].find((label) => typeof label === 'string' && label !== '')
  return { by: typeof by === 'string' ? by : null }
}

/** Reads a MishapError. Returns undefined for other errors: they are bugs and go to the error screen. */
export function failureOf(error: unknown): Failure | undefined {
  if (!(error instanceof Error) || error.name !== 'MishapError') return undefined
  const { code, fields, retryAfterS, current } = error as Error & {
    code?: unknown
    fields?: Record<string, string[]>
    retryAfterS?: number
    current?: Record<string, unknown>
  }
  return typeof code === 'string'
    ? { code, message: error.message, fields: fields ?? {}, retryAfterS, current: readCurrent(current) }
    : undefined
}

/** Text of one form field, at most 4,096 characters; '' for a missing field or a file. */
export function textOf(data: FormData, name: string): string {
  const value = data.get(name)
  return typeof value === 'string' ? value.slice(0, 4096) : ''
}

/**
 * Text of a field for lists and rules, at most `most` characters; '' for a missing field or a file. Forms send CRLF
 * line ends, but the field's own limit counts each as one character. So normalize first, or the text would be cut.
 */
export function longTextOf(data: FormData, name: string, most = 100_000): string {
  const value = data.get(name)
  return typeof value === 'string' ? value.replaceAll('\r\n', '\n').slice(0, most) : ''
}

/** The typed values, to show them again. Leaves out fields in `secret` and names that begin with `$`. */
export function typedValues(
  data: FormData,
  secret: readonly string[] = ['password', 'currentPassword', 'newPassword', 'secret', 'token'],
): Record<string, string> {
  const values: Record<string, string> = {}
  for (const [name, value] of data.entries()) {
    if (typeof value === 'string' && !name.startsWith('$') && !secret.includes(name))
      values[name] = value.slice(0, 100_000)
  }
  return values
}

/** The state of a form after a failure: field errors if there are any, else the message. */
export function failed(data: FormData, failure: Pick<Failure, 'fields'> & { message: string }): FormState {
  const hasFields = Object.keys(failure.fields).length > 0
  return { fields: failure.fields, error: hasFields ? null : failure.message, values: typedValues(data), done: false }
}

/**
 * Runs `work` and returns the form's state: the result of `work` or done, or the state of an expected failure. Rethrows
 * all other errors, including redirects.
 */
export async function attempt(
  data: FormData,
  work: () => FormState | undefined | Promise<FormState | undefined>,
): Promise<FormState> {
  try {
    return (await work()) ?? { ...noState, done: true }
  } catch (error) {
    const failure = failureOf(error)
    if (!failure) throw error
    return failed(data, failure)
  }
}

/** Like `attempt`. After a conflict, `stale` says who saved first, in place of an error message. */
export async function attemptGuarded(
  data: FormData,
  work: () => FormState | undefined | Promise<FormState | undefined>,
): Promise<GuardedState> {
  const conflict: Pick<GuardedState, 'stale'> = { stale: null }
  const state = await attempt(data, async () => {
    try {
      return await work()
    } catch (error) {
      conflict.stale = failureOf(error)?.current ?? null
      throw error
    }
  })
  return { ...state, ...conflict, error: conflict.stale ? null : state.error }
}

/** The revision that the form was rendered for. Undefined if none was sent or the person chose to save anyway. */
export function revisionOf(data: FormData): number | undefined {
  const text = textOf(data, 'revision')
  return textOf(data, 'anyway') === 'yes' || !/^\d{1,15}$/.test(text) ? undefined : Number(text)
}
