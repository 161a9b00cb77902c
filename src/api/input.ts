import { z } from 'zod'
import { MishapError } from '../base/errors.ts'

/** Maximum JSON body of a call. */
export const bodyBytesMax = 1024 * 1024
const depthMax = 64

const tooLarge = (bytesMax: number) =>
  new MishapError('ACCEPT_TOO_LARGE', { detail: `The body is over ${bytesMax} bytes.` })

/** Groups problems by their first path part. Problems of the whole value are under `detail`. */
function fieldsOf(error: z.ZodError): Record<string, string[]> {
  const fields: Record<string, string[]> = {}
  for (const issue of error.issues) {
    const name = String(issue.path[0] ?? 'detail')
    fields[name] = [...(fields[name] ?? []), issue.message]
  }
  return fields
}

/** Reads the parameters of a route. Lists can repeat, else the first value counts. Throws VALIDATION with fields. */
export function readQuery(schema: z.ZodObject, search: URLSearchParams): unknown {
  const raw: Record<string, unknown> = {}
  for (const [name, type] of Object.entries(schema.shape)) {
    if (type instanceof z.ZodArray) raw[name] = search.getAll(name)
    else {
      const value = search.get(name)
      if (value !== null) raw[name] = value
    }
  }
  const read = schema.safeParse(raw)
  if (!read.success) throw new MishapError('VALIDATION', { fields: fieldsOf(read.error) })
  return read.data
}

/**
 * Returns the revision that a change is based on: `revision` in the body, else the header If-Match (`"7"`); undefined:
 * any. Throws VALIDATION for a header without a revision.
 */
export function revisionOf(body: { revision?: number | undefined }, request: Request): number | undefined {
  if (body.revision !== undefined) return body.revision
  const header = request.headers.get('if-match')?.trim()
  if (header === undefined || header === '' || header === '*') return undefined
  const number = /^(?:W\/)?"?(\d{1,15})"?$/.exec(header)?.[1]
  if (number === undefined)
    throw new MishapError('VALIDATION', { fields: { 'If-Match': ['The revision in quotes, such as "7".'] } })
  return Number(number)
}

/**
 * Throws VALIDATION if a body has no field of `schema` except the revision, and lists the fields. A change that does
 * nothing but answers 200 would look complete.
 */
export function demandChange(schema: z.ZodObject, body: Record<string, unknown>): void {
  const names = Object.keys(schema.shape).filter((name) => name !== 'revision')
  if (names.some((name) => body[name] !== undefined)) return
  throw new MishapError('VALIDATION', { detail: `The body changes nothing. Set at least one of ${names.join(', ')}.` })
}

/** Reads a body of at most `bytesMax`. Throws ACCEPT_TOO_LARGE. */
export async function bytesOf(request: Request, bytesMax: number): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > bytesMax) throw tooLarge(bytesMax)
  const parts: Uint8Array[] = []
  let bytes = 0
  if (request.body) {
    for await (const part of request.body) {
      bytes += part.byteLength
      if (bytes > bytesMax) throw tooLarge(bytesMax)
      parts.push(part)
    }
  }
  return Buffer.concat(parts)
}

function tooDeep(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth > depthMax || Object.values(value).some((child) => tooDeep(child, depth + 1))
}

/** Parses a JSON body with a schema. An empty body counts as `{}`. Throws VALIDATION with fields, ACCEPT_TOO_LARGE. */
export async function readBody(schema: z.ZodType, request: Request, bytesMax = bodyBytesMax): Promise<unknown> {
  const text = new TextDecoder().decode(await bytesOf(request, bytesMax))
  let value: unknown = {}
  if (text.trim() !== '') {
    try {
      value = JSON.parse(text)
    } catch {
      throw new MishapError('VALIDATION', {
        detail: 'JSON parse error: the body is not JSON.',
        causes: ['Send one JSON object.'],
      })
    }
  }
  if (tooDeep(value, 0))
    throw new MishapError('VALIDATION', { detail: `The body is nested deeper than ${depthMax} levels.` })
  const read = schema.safeParse(value)
  if (!read.success) throw new MishapError('VALIDATION', { fields: fieldsOf(read.error) })
  return read.data
}
