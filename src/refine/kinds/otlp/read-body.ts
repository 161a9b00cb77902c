import type { OutcomeReason } from '../../../base/outcome.ts'
import { otlpFormatOf } from '../../../wire/otlp.ts'
import { parsePayload, type Sent } from '../../pipeline/value.ts'
import type { OtlpBody } from './message.ts'

/** A decoded body. `sent`: its JSON text. `fault`: why it has no items at all. */
export type BodyRead<Item> = { body: OtlpBody<Item>; sent: Sent | undefined; fault: OutcomeReason | undefined }

/** Decodes a body in the encoding of its content type. Never throws. */
export function bodyOf<Item>(
  contentType: string,
  bytes: Buffer,
  readProtobuf: (body: Uint8Array) => OtlpBody<Item>,
  readJson: (value: unknown) => OtlpBody<Item> | undefined,
): BodyRead<Item> {
  const empty: OtlpBody<Item> = { items: [], excess: 0 }
  const parsed = otlpFormatOf(contentType) === 'json' ? parsePayload(bytes) : undefined
  if (parsed && 'broken' in parsed) return { body: empty, sent: undefined, fault: 'bad_json' }
  const body = (parsed ? readJson(parsed.value) : readProtobuf(bytes)) ?? empty
  return { body, sent: parsed?.sent, fault: body.items.length === 0 ? 'bad_item' : undefined }
}
