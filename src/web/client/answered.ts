/** An answer of the API with the query that it answers, as JSON: it holds for the same query only. */
export type Answered<Data> = { key: string; data: Data }

/** The data as the answer to `query`. */
export const answered = <Data>(query: object, data: Data): Answered<Data> => ({ key: JSON.stringify(query), data })

/** The data of `answer` where it answers `query` (names in the same order), else undefined. */
export const dataFor = <Data>(answer: Answered<Data> | undefined, query: object): Data | undefined =>
  answer?.key === JSON.stringify(query) ? answer.data : undefined
