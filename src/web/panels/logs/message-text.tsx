import type { RestLogLine } from '../../../contract/explore/logs.ts'
import { PlainText } from '../../ui/plain-text.tsx'
import { foldedText, messageParts, shapeParts } from './items.ts'

/** Characters of a message in a row: more than the widest screen shows. */
const rowCharactersMax = 600

/** A message in one line. Values that vary between lines of one pattern are marked. */
export function MessageText({ message }: { message: string }) {
  return messageParts(message.slice(0, rowCharactersMax)).map(({ text, isVarying }, at) =>
    isVarying ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have no id
      <span key={at} className="log-value">
        <PlainText text={text} />
      </span>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have no id
      <PlainText key={at} text={text} />
    ),
  )
}

function Parts({ parts }: { parts: readonly { text: string; isVarying: boolean }[] }) {
  return parts.map(({ text, isVarying }, at) =>
    isVarying ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have no id
      <i key={at} className="log-star">
        *
      </i>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have no id
      <PlainText key={at} text={`${at > 0 ? ' ' : ''}${text} `} charactersMax={rowCharactersMax} />
    ),
  )
}

/** The common text of folded lines, with boxes for what varies. */
export const FoldedText = ({ lines }: { lines: readonly RestLogLine[] }) => <Parts parts={foldedText(lines)} />

/** A shape, with boxes for what varies. */
export const ShapeText = ({ shape }: { shape: string }) => (
  <Parts parts={shapeParts(shape.slice(0, rowCharactersMax))} />
)
