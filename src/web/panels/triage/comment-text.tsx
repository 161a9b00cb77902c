import { type ReactNode, useMemo } from 'react'
import { type Block, type Inline, readComment } from '../../../domain/comment.ts'
import { PlainText } from '../../ui/plain-text.tsx'

const charactersMax = 10_000

/** Parts never move and have no ids, so their index is their key. */
function inline(node: Inline, key: number): ReactNode {
  const text = <PlainText text={node.text} charactersMax={charactersMax} />
  switch (node.kind) {
    case 'code':
      return <code key={key}>{text}</code>
    case 'strong':
      return <b key={key}>{text}</b>
    case 'emphasis':
      return <em key={key}>{text}</em>
    case 'mention':
      return (
        <span key={key} className="mention">
          {text}
        </span>
      )
    case 'link':
      return (
        <a key={key} className="link" href={node.href} rel="noreferrer nofollow noopener" target="_blank">
          {text}
        </a>
      )
    default:
      return <span key={key}>{text}</span>
  }
}

const br = (key: number): ReactNode => <br key={`b${key}`} />

function lines(block: Extract<Block, { lines: Inline[][] }>): ReactNode[] {
  return block.lines.flatMap((line, at) => [
    ...(at > 0 ? [br(at)] : []),
    ...line.map((node, i) => inline(node, at * 1_000 + i)),
  ])
}

function element(block: Block, key: number): ReactNode {
  switch (block.kind) {
    case 'code':
      return (
        <pre key={key}>
          <code>
            <PlainText text={block.text} charactersMax={charactersMax} />
          </code>
        </pre>
      )
    case 'list': {
      const items = block.lines.map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <li key={at}>{line.map(inline)}</li>
      ))
      return block.ordered ? <ol key={key}>{items}</ol> : <ul key={key}>{items}</ul>
    }
    case 'quote':
      return <blockquote key={key}>{lines(block)}</blockquote>
    case 'heading':
      return (
        <p key={key}>
          <b>{lines(block)}</b>
        </p>
      )
    case 'paragraph':
      return <p key={key}>{lines(block)}</p>
  }
}

/** A comment as React elements. Its text is never used as markup. */
export function CommentText({ text }: { text: string }) {
  const blocks = useMemo(() => readComment(text), [text])
  return <div className="comment-text">{blocks.map(element)}</div>
}
