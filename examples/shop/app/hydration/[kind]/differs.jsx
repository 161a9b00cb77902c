'use client'

const NowLine = () => <p>It is {new Date().toISOString()}</p>
const LuckyLine = () => <p>Your number is {Math.random()}</p>
const BrowserLine = () => <p>{typeof window === 'undefined' ? 'Loading …' : `Width ${window.innerWidth}`}</p>
const NestedLine = () => (
  <p>
    A cup
    <div>and its saucer</div>
  </p>
)

const lines = { date: NowLine, random: LuckyLine, nesting: NestedLine, browser: BrowserLine }

/** A part whose text on the server is another one than in the browser. */
export function Differs({ kind }) {
  const Line = lines[kind] ?? NowLine
  return <Line />
}
