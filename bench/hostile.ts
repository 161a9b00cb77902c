// Texts designed to be slow. Twice the input may take about twice as long. A pattern that backtracks takes four times
// as long, or never ends.
import { readComment } from '../src/domain/comment.ts'
import type { NormalEvent } from '../src/domain/event.ts'
import { suspicionsOf } from '../src/query/issues/suspicion.ts'
import { searchCharsMax } from '../src/query/search/grammar.ts'
import { parseSearch } from '../src/query/search/parse.ts'
import { diagnosticsOf } from '../src/refine/diagnostics/diagnostics.ts'
import { createPatterns } from '../src/refine/filter/pattern.ts'
import { createRuleCache, group } from '../src/refine/fingerprint/fingerprint.ts'
import { glob } from '../src/refine/fingerprint/glob.ts'
import { applyStackRules, compileStackRules } from '../src/refine/fingerprint/stack-rules.ts'
import { parameterize } from '../src/refine/fingerprint/v1/parameterize.ts'
import { readDump } from '../src/refine/kinds/minidump/dump.ts'
import { makeDump } from '../src/refine/kinds/minidump/fixture.cases.ts'
import { plainSettings, refineEvent } from '../src/refine/pipeline/fixture.cases.ts'
import { makeRules } from '../src/refine/scrub/rules.ts'
import { scan } from '../src/refine/scrub/scan.ts'
import { scrubText } from '../src/refine/scrub/text.ts'
import type { Row } from './measure.ts'

/** Processes an input of `size`. */
type Work = (size: number) => void
type Case = { what: string; size: number; pieces: readonly string[]; work: (piece: string) => Work }

const ratioMax = 3
/** Shorter times do not show how the time grows. */
const floorMs = 4
const tries = 3

function spentMs(run: () => void): number {
  let least = Number.POSITIVE_INFINITY
  for (let n = 0; n < tries; n++) {
    const before = process.cpuUsage()
    run()
    least = Math.min(least, process.cpuUsage(before).user / 1000)
  }
  return least
}

const filled = (piece: string, size: number) => piece.repeat(Math.ceil(size / piece.length)).slice(0, size)
const rules = makeRules(plainSettings)
const frameOf = (at: number, path: string) => ({
  filename: path,
  abs_path: path,
  module: `m${at}`,
  function: `f${at}`,
  lineno: 1,
  in_app: true,
})
const eventOf = (frames: object[], value = 'x') => ({
  platform: 'python',
  exception: { values: [{ type: 'KeyError', value, stacktrace: { frames } }] },
})
const signed = (value: string): NormalEvent => {
  const values = Array.from({ length: 50 }, (_, i) => ({ type: 'Error', value: `${i} ${value}` }))
  const contexts = { hydration: { server: value, client: `${value}x` }, react: { componentStack: value } }
  const event = { platform: 'javascript', tags: [], errors: [], contexts, exception: { values } }
  return event as unknown as NormalEvent
}
const search = (text: string): void => {
  try {
    parseSearch(text)
  } catch {
    // Most of these texts are rejected with a position.
  }
}

const texts: readonly Case[] = [
  {
    what: 'comments',
    size: 10_000,
    pieces: ['*', '_', '`', '[', '@', '**', 'https://', '> ', '[a](', '```\n'],
    work: (piece) => (size) => void readComment(filled(piece, size)),
  },
  {
    what: 'searches',
    size: searchCharsMax,
    pieces: ['"', '(', ')', '[', 'a:[b,', '!', 'a:', 'p95(', 'tags[', '*', '\\*', 'a:[,', '9', 'a-', 'f( '],
    work: (piece) => (size) => search(filled(piece, size)),
  },
  {
    what: 'texts whose variables are found',
    size: 8192,
    pieces: ['a.', 'a@', '1:', '1.', 'a', '0', 'f', '-', '="', 'Mon ', 'a-', '12 Jan ', '::1'],
    work: (piece) => (size) => void parameterize(filled(piece, size)),
  },
  {
    what: 'texts that are scrubbed',
    size: 200_000,
    pieces: ['=', '"', '":', 'token=', '4111 ', 'a://', "':", '%3D', '\\":', '\\', '%', '-----BEGIN '],
    work: (piece) => (size) => void scrubText(filled(piece, size), rules),
  },
  {
    what: 'bytes that are looked through for secrets',
    size: 1_000_000,
    pieces: ['@', '1 ', '1-', '0 0 0', 'session', 'cookie', '\\\\', '{"', 'd', '%'],
    work: (piece) => {
      const bytes = Buffer.from(filled(piece, 1_000_000))
      return (size) => void scan(bytes.subarray(0, size))
    },
  },
  {
    what: 'texts that signs are looked for in',
    size: 8192,
    pieces: ['args[]=%', '+ <a ', '\n+ <a\n', '  <A>\n- x\n', '" Client: "', '"', ' at ', 'a.', '\n', '1:', '0.'],
    work: (piece) => (size) => void diagnosticsOf(signed(`Hydration failed because\n\n${filled(piece, size)}`), ''),
  },
  {
    what: 'texts against patterns of stars',
    size: 8192,
    pieces: ['a', 'a*'],
    work: (piece) => (size) => {
      createPatterns([`${'a*'.repeat(100)}b`])(filled(piece, size))
      glob(`${'*a'.repeat(60)}*b*c`)(filled(piece, size))
    },
  },
  {
    what: 'groups of events of nothing but such texts',
    size: 50,
    pieces: ['a-'],
    work: (piece) => {
      const { event } = refineEvent(eventOf([frameOf(0, '/a.py')]))
      const value = `${`${piece.repeat(31)}a.`.repeat(127)}`
      return (size) => {
        event.exception = { values: Array.from({ length: size }, (_, n) => ({ type: 'E', value: `${n} ${value}` })) }
        group(event, undefined, createRuleCache())
      }
    },
  },
  {
    what: 'frames against 120 rules of stars',
    size: 240,
    pieces: ['a'],
    work: (piece) => {
      const lines = Array.from({ length: 120 }, (_, n) => `path:${'**a'.repeat(70)}*[b]${n} -app`).join('\n')
      const ready = compileStackRules(lines)
      return (size) => {
        const frames = Array.from({ length: size }, (_, n) => frameOf(n, `${piece.repeat(200)}c${n}`))
        applyStackRules(ready, refineEvent(eventOf(frames)).event)
      }
    },
  },
  {
    what: 'changed files of one name beside 30 frames',
    size: 20_000,
    pieces: ['cart.ts'],
    work: (name) => {
      const frames = Array.from({ length: 30 }, (_, at) => ({ at, paths: [`/app/src/${name}`] }))
      return (size) => {
        const change = 'M' as const
        const paths = Array.from({ length: size }, (_, at) => `packages/p${at}/src/${name}`)
        suspicionsOf(
          frames,
          paths.map((path) => ({ commit: { atMs: 1 }, path, change })),
        )
      }
    },
  },
]

/** The piece whose time grows most from half the size to the whole. */
function benchCase({ what, size, pieces, work }: Case): Row {
  let worst = { piece: '', ratio: 0, ms: 0 }
  for (const piece of pieces) {
    const run = work(piece)
    run(size)
    const [half, whole] = [spentMs(() => run(Math.floor(size / 2))), spentMs(() => run(size))]
    const ratio = Math.max(whole, floorMs) / Math.max(half, floorMs)
    if (ratio > worst.ratio || (ratio === worst.ratio && whole > worst.ms)) worst = { piece, ratio, ms: whole }
  }
  return {
    what: `hostile ${what}, ${size.toLocaleString('en')} at once against half as much`,
    goal: `at most ${ratioMax} times as long`,
    result: `${worst.ratio.toFixed(1)} times, ${worst.ms.toFixed(0)} ms of computing (${JSON.stringify(worst.piece).slice(0, 30)})`,
    met: worst.ratio <= ratioMax,
  }
}

/** Compares processing an event of 100,000 tags with parsing and writing its JSON. */
function benchTags(): Row {
  const tags = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`t${i}`, 'v']))
  const sent = JSON.stringify({ tags })
  const json = spentMs(() => void JSON.stringify(JSON.parse(sent)))
  const refined = spentMs(() => void refineEvent(sent))
  return {
    what: 'an event of 100,000 tags, refined, against reading and writing its JSON',
    goal: `at most ${ratioMax} times as long, and 40 ms`,
    result: `${refined.toFixed(0)} ms against ${json.toFixed(0)} ms`,
    met: refined <= json * ratioMax + 40,
  }
}

/** Compares a minidump that claims four billion streams and modules with a plain one. */
function benchDump(): Row {
  const plain = makeDump({ crash: { code: 11 } })
  const bytes = Buffer.from(plain)
  bytes.writeUInt32LE(0xffffffff, 8)
  const list = Array.from({ length: 4 }, (_, i) => 32 + i * 12).find((at) => bytes.readUInt32LE(at) === 4) ?? 32
  bytes.writeUInt32LE(0xffffffff, bytes.readUInt32LE(list + 8))
  const [whole, hostile] = [spentMs(() => void readDump(plain)), spentMs(() => void readDump(bytes))]
  return {
    what: 'a minidump that claims four billion modules, against a plain one',
    goal: 'at most 100 ms more',
    result: `${hostile.toFixed(1)} ms against ${whole.toFixed(1)} ms`,
    met: hostile <= whole + 100,
  }
}

/** Rows for inputs that unauthenticated clients can send to slow down the product. */
export const benchHostile = async (): Promise<Row[]> => [...texts.map(benchCase), benchTags(), benchDump()]
