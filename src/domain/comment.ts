/**
 * Parses comments: a small part of Markdown as data, which screens render as elements and never as markup. Each
 * function reads each character a bounded number of times, for any input.
 */

export type Inline =
  | { kind: 'text' | 'code' | 'strong' | 'emphasis'; text: string }
  /** Only http and https. The text is the address if no label was given. */
  | { kind: 'link'; text: string; href: string }
  | { kind: 'mention'; text: string; handle: string }
export type Block =
  | { kind: 'paragraph' | 'quote' | 'heading'; lines: Inline[][] }
  | { kind: 'list'; ordered: boolean; lines: Inline[][] }
  | { kind: 'code'; text: string }

/** Inline pieces, the earliest first. Lengths are bounded, so that no input causes repeated long scans. */
const inlinePattern =
  /`([^`\n]{1,500})`|\*\*([^*\n]{1,500})\*\*|(?<![\p{L}\p{N}_*])[*_]([^*_\n]{1,500})[*_](?![\p{L}\p{N}])|\[([^\]\n]{1,200})\]\((https?:\/\/[^\s()<>]{1,500})\)|(https?:\/\/[^\s<>"'()]{1,500})|(?<![\p{L}\p{N}_.])@([\p{L}\p{N}][\p{L}\p{N}._+-]{0,63}(?:@[\p{L}\p{N}.-]{1,100})?)/gu

/** Punctuation after an address that is not part of it. */
const trailing = /[.,;:!?]+$/

function inlineOf(text: string): Inline[] {
  const nodes: Inline[] = []
  let at = 0
  const plain = (to: number) => {
    if (to > at) nodes.push({ kind: 'text', text: text.slice(at, to) })
  }
  for (const found of text.matchAll(inlinePattern)) {
    const [match, code, strong, emphasis, label, href, bare, handle] = found
    plain(found.index)
    at = found.index + match.length
    if (code !== undefined) nodes.push({ kind: 'code', text: code })
    else if (strong !== undefined) nodes.push({ kind: 'strong', text: strong })
    else if (emphasis !== undefined) nodes.push({ kind: 'emphasis', text: emphasis })
    else if (label !== undefined && href !== undefined) nodes.push({ kind: 'link', text: label, href })
    else {
      const end = trailing.exec(bare ?? handle ?? '')?.[0] ?? ''
      const linked = (bare ?? handle ?? '').slice(0, (bare ?? handle ?? '').length - end.length)
      at -= end.length
      if (bare !== undefined) nodes.push({ kind: 'link', text: linked, href: linked })
      else nodes.push({ kind: 'mention', text: `@${linked}`, handle: linked.toLowerCase() })
    }
  }
  plain(text.length)
  return nodes
}

const blockPatterns = [
  { kind: 'quote', pattern: /^>\s?/ },
  { kind: 'list', ordered: false, pattern: /^\s{0,3}[-*+]\s+/ },
  { kind: 'list', ordered: true, pattern: /^\s{0,3}\d{1,4}[.)]\s+/ },
  { kind: 'heading', pattern: /^#{1,6}\s+/ },
] as const

/** Parses a comment from user input. Unrecognized syntax stays text. */
export function readComment(text: string): Block[] {
  const blocks: Block[] = []
  const lines = text.replaceAll('\r', '').split('\n')
  let open: Block | undefined
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (/^\s{0,3}```/.test(line)) {
      let to = at + 1
      while (to < lines.length && !/^\s{0,3}```\s*$/.test(lines[to] ?? '')) to++
      blocks.push({ kind: 'code', text: lines.slice(at + 1, to).join('\n') })
      at = to
      open = undefined
      continue
    }
    if (line.trim() === '') {
      open = undefined
      continue
    }
    const blockPattern = blockPatterns.find((candidate) => candidate.pattern.test(line))
    const kind = blockPattern?.kind ?? 'paragraph'
    const ordered = blockPattern !== undefined && 'ordered' in blockPattern && blockPattern.ordered
    const inner = inlineOf(blockPattern ? line.replace(blockPattern.pattern, '') : line)
    const same = open && open.kind === kind && kind !== 'heading' && (open.kind !== 'list' || open.ordered === ordered)
    if (same && open && 'lines' in open) open.lines.push(inner)
    else {
      open = kind === 'list' ? { kind, ordered, lines: [inner] } : { kind, lines: [inner] }
      blocks.push(open)
    }
  }
  return blocks
}

/** Returns the mentioned handles in lower case, without duplicates. Code contains no mentions. */
export function mentionsIn(text: string): string[] {
  const found = readComment(text).flatMap((block) =>
    'lines' in block ? block.lines.flat().flatMap((line) => (line.kind === 'mention' ? [line.handle] : [])) : [],
  )
  return [...new Set(found)]
}

type Named = { id: string; name: string; email: string }

/** Returns people by handle: their address, and its part before the @ if it is unique. */
export function handlesOf<Person extends Named>(people: readonly Person[]): Map<string, Person> {
  const handles = new Map<string, Person>()
  const shared = new Set<string>()
  for (const person of people) {
    const email = person.email.toLowerCase()
    const short = email.split('@')[0] ?? email
    if (handles.has(short)) shared.add(short)
    handles.set(short, person)
  }
  for (const handle of shared) handles.delete(handle)
  for (const person of people) handles.set(person.email.toLowerCase(), person)
  return handles
}

/** Returns the shortest handle of a person. */
export const handleOf = (person: Named, people: readonly Named[]): string => {
  const short = person.email.toLowerCase().split('@')[0] ?? ''
  return handlesOf(people).get(short)?.id === person.id ? short : person.email.toLowerCase()
}
