/**
 * Functions that a statement may call. Each computes its answer from its arguments alone. Everything else is refused:
 * functions that read files, tables, dictionaries, settings or the server's state, that wait, or that run programs. New
 * functions of an engine are therefore refused until they are added here.
 */
const aggregates = `count sum avg min max any anyLast argMin argMax uniq uniqExact uniqCombined uniqCombined64 uniqHLL12
  quantile quantiles quantileExact quantilesExact quantileTDigest quantilesTDigest quantileTDigestWeighted
  quantilesTDigestWeighted median stddevPop stddevSamp varPop varSamp covarPop covarSamp corr groupArray groupUniqArray
  topK topKWeighted sumMap minMap maxMap avgWeighted skewPop kurtPop entropy first_value last_value row_number rank
  dense_rank lagInFrame leadInFrame`
const plain = `if multiIf coalesce ifNull nullIf isNull isNotNull assumeNotNull toNullable greatest least
  not and or xor equals notEquals less greater lessOrEquals greaterOrEquals plus minus multiply divide negate
  abs round roundBankers floor ceil ceiling trunc truncate sqrt cbrt exp exp2 exp10 log ln log2 log10 pow power sign
  intDiv intDivOrZero modulo isFinite isInfinite isNaN bitAnd bitOr bitXor bitShiftLeft bitShiftRight
  length lengthUTF8 lower upper lcase ucase lowerUTF8 upperUTF8 concat concatWithSeparator substring substr substringUTF8
  left right leftUTF8 rightUTF8 leftPad rightPad trimBoth trimLeft trimRight reverse reverseUTF8 repeat
  replaceOne replaceAll replaceRegexpOne replaceRegexpAll extract extractAll match like ilike notLike startsWith endsWith
  position positionUTF8 positionCaseInsensitive countSubstrings splitByChar splitByString splitByNonAlpha
  arrayStringConcat domain domainWithoutWWW path protocol topLevelDomain queryString cutQueryString decodeURLComponent
  hex unhex base64Encode base64Decode toValidUTF8 cityHash64 sipHash64 xxHash64 MD5 SHA256
  now now64 today yesterday toDate toDate32 toDateTime toDateTime64 toStartOfSecond toStartOfMinute toStartOfFiveMinutes
  toStartOfTenMinutes toStartOfFifteenMinutes toStartOfHour toStartOfDay toStartOfWeek toStartOfMonth toStartOfQuarter
  toStartOfYear toStartOfInterval toMonday toSecond toMinute toHour toDayOfWeek toDayOfMonth toDayOfYear toMonth toQuarter
  toYear toISOWeek toYYYYMM toYYYYMMDD toUnixTimestamp toUnixTimestamp64Milli fromUnixTimestamp fromUnixTimestamp64Milli
  dateDiff dateTrunc formatDateTime addSeconds addMinutes addHours addDays addWeeks addMonths addYears
  subtractSeconds subtractMinutes subtractHours subtractDays subtractWeeks subtractMonths subtractYears
  toIntervalSecond toIntervalMinute toIntervalHour toIntervalDay toIntervalWeek toIntervalMonth
  parseDateTimeBestEffort parseDateTimeBestEffortOrNull parseDateTimeBestEffortOrZero
  toString toUInt8 toUInt16 toUInt32 toUInt64 toInt8 toInt16 toInt32 toInt64 toFloat32 toFloat64
  toUInt64OrZero toUInt64OrNull toInt64OrZero toInt64OrNull toFloat64OrZero toFloat64OrNull toDateOrNull toDateTimeOrNull
  array arrayJoin arrayMap arrayFilter arrayExists arrayAll arrayCount arraySum arrayAvg arrayMin arrayMax arraySort
  arrayReverseSort arrayReverse arrayDistinct arrayUniq arrayConcat arraySlice arrayElement arrayZip arrayEnumerate
  arrayFirst arrayFirstIndex arrayLast arrayPushBack arrayDifference arrayCumSum arrayFlatten arrayIntersect
  has hasAll hasAny indexOf countEqual empty notEmpty range mapKeys mapValues mapContains mapFilter tuple tupleElement
  JSONExtractString JSONExtractInt JSONExtractUInt JSONExtractFloat JSONExtractBool JSONExtractRaw JSONExtractArrayRaw
  JSONExtractKeys JSONHas JSONLength JSONType isValidJSON`

const known = [...aggregates.split(/\s+/), ...plain.split(/\s+/)]
const conditional = aggregates.split(/\s+/).map((name) => `${name}If`)
const allowed = new Set([...known, ...conditional])
/** `COUNT(*)` and `Lower(x)`: the reader takes any case where a name is unique. */
const byLower = new Map([...allowed].map((name) => [name.toLowerCase(), name]))

/** Returns the engine's name of an allowed function; undefined for any other. */
export const functionOf = (name: string): string | undefined =>
  allowed.has(name) ? name : byLower.get(name.toLowerCase())
