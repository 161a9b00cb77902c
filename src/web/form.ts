/** What a form shows after its action: errors at fields, one for the whole form, and what was typed (never passwords). */
export type FormState = {
  fields: Record<string, string[]>
  error: string | null
  values: Record<string, string>
  done: boolean
}

export const noState: FormState = { fields: {}, error: null, values: {}, done: false }

/** An expected failure of another part of the process. Its class may come from another bundle, so its shape is asked, not its class. */
export type Failure = {
  code: string
  message: string
  fields: Record<string, string[]>
  retryAfterS: number | undefined
}

/** Reads a MishapError; undefined for everything else, which is a bug and goes on to the error screen. */
export function failureOf(error: unknown): Failure | undefined {
  if (!(error instanceof Error) || error.name !== 'MishapError') return undefined
  const { code, fields, retryAfterS } = error as Error & {
    code?: unknown
    fields?: Record<string, string[]>
    retryAfterS?: number
  }
  return typeof code === 'string' ? { code, message: error.message, fields: fields ?? {}, retryAfterS } : undefined
}

/** Text of one field of a form, '' when it is missing or a file; at most 4,096 characters. */
export function textOf(data: FormData, name: string): string {
  const value = data.get(name)
  return typeof value === 'string' ? value.slice(0, 4096) : ''
}

/** What was typed, to show again: every text field whose name is not in `secret`. */
export function typedValues(
  data: FormData,
  secret: readonly string[] = ['password', 'secret'],
): Record<string, string> {
  const values: Record<string, string> = {}
  for (const [name, value] of data.entries()) {
    if (typeof value === 'string' && !name.startsWith('$') && !secret.includes(name))
      values[name] = value.slice(0, 4096)
  }
  return values
}

/** The state of a form after a failure: its field errors, else its sentence. */
export function failed(data: FormData, failure: Pick<Failure, 'fields'> & { message: string }): FormState {
  const hasFields = Object.keys(failure.fields).length > 0
  return { fields: failure.fields, error: hasFields ? null : failure.message, values: typedValues(data), done: false }
}
