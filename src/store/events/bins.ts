/**
 * Numbers in bins of equal ratio: 35 for each power of two, so the middle of a bin is at most 1% off. Bins of parts of a
 * range are merged by adding, in any order, with the same result each time. The digests of `quantileTDigest` were rejected
 * for that: their result depends on how they were merged, and then a back-test would not equal what fired.
 */
const binsOfPower = 35
/** Powers of a number of 64 bits are above -1075, so that bins of positive numbers are positive. */
const offset = 40_000

/** Returns the SQL of the bin of a finite number. Negative numbers have negative bins, and 0 has bin 0. */
export const binSql = (x: string): string =>
  `toInt32(if(${x} = 0, 0, sign(${x}) * (floor(log2(abs(${x})) * ${binsOfPower}) + ${offset})))`

/** Returns the middle of a bin. */
export const valueOfBin = (bin: number): number =>
  bin === 0 ? 0 : Math.sign(bin) * 2 ** ((Math.abs(bin) - offset + 0.5) / binsOfPower)
