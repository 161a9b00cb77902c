/** An API response together with its query as JSON. It is valid for that query only. */
export type Answered<Data> = { key: string; data: Data }

/** Wraps `data` as the response to `query`. */
export const answered = <Data>(query: object, data: Data): Answered<Data> => ({ key: JSON.stringify(query), data })

/** The data of `answer` if it belongs to `query` (keys in the same order), else undefined. */
export const dataFor = <Data>(answer: Answered<Data> | undefined, query: object): Data | undefined =>
  answer?.key === JSON.stringify(query) ? answer.data : undefined
