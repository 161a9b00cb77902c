/** What a form shows after its action: errors at fields, one for the whole form, and what was typed (never passwords). */
export type FormState = {
  fields: Record<string, string[]>
  error: string | null
  values: Record<string, string>
  done: boolean
}

export const noState: FormState = { fields: {}, error: null, values: {}, done: false }

/** Of a form that is refused when somebody else changed what it shows since it was loaded; `stale` says who. */
export type GuardedState = FormState & { stale: { by: string | null } | null }

export const noGuardedState: GuardedState = { ...noState, stale: null }

/** An expected failure of another part of the process. Its class may come from another bundle, so check its shape. */
export type Failure = {
  code: string
  message: string
  fields: Record<string, string[]>
  retryAfterS: number | undefined
  /** After a change that was made for an older revision: who changed the thing since, null when that is not known. */
  current: { by: string | null } | undefined
}

/** Who made the change that a conflict reports in `current`. */
export function readCurrent(current: Record<string, unknown> | undefined): Failure['current'] {
  if (!current) return undefined
  const person = current.changedBy as { name?: unknown; email?: unknown } | null | undefined
  const by = [person?.name, person?.email].find((item) => typeof item === 'string' && item !== '')
  return { by: typeof by === 'string' ? by : null }
}

/** Reads a MishapError. undefined for everything else, which is a bug and goes to the error screen. */
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

/** Text of one field of a form, '' when it is missing or a file; at most 4,096 characters. */
export function textOf(data: FormData, name: string): string {
  const value = data.get(name)
  return typeof value === 'string' ? value.slice(0, 4096) : ''
}

/**
 * Text of a field that takes lists and rules, '' when it is missing or a file; at most `most` characters. A form is sent
 * with two for each end of a line, which the field counts as one: what it takes must not be cut.
 */
export function longTextOf(data: FormData, name: string, most = 100_000): string {
  const value = data.get(name)
  return typeof value === 'string' ? value.replaceAll('\r\n', '\n').slice(0, most) : ''
}

/** What was typed, to show again: every text field whose name is not in `secret`. */
export function typedValues(
  data: FormData,
  secret: readonly string[] = ['password', 'currentPassword', 'newPassword', 'secret'],
): Record<string, string> {
  const values: Record<string, string> = {}
  for (const [name, value] of data.entries()) {
    if (typeof value === 'string' && !name.startsWith('$') && !secret.includes(name))
      values[name] = value.slice(0, 100_000)
  }
  return values
}

/** The state of a form after a failure: its field errors, else its sentence. */
export function failed(data: FormData, failure: Pick<Failure, 'fields'> & { message: string }): FormState {
  const hasFields = Object.keys(failure.fields).length > 0
  return { fields: failure.fields, error: hasFields ? null : failure.message, values: typedValues(data), done: false }
}

/**
 * The state of a form after `work`: done, what `work` says instead, or that of an expected failure. Throws everything else,
 * redirects among it.
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

/** As `attempt`; of a change that somebody else was quicker with, who that was in place of a sentence. */
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

/** The revision that the form was made for; undefined when the person chose to save anyway, or sent none. */
export function revisionOf(data: FormData): number | undefined {
  const text = textOf(data, 'revision')
  return textOf(data, 'anyway') === 'yes' || !/^\d{1,15}$/.test(text) ? undefined : Number(text)
}
