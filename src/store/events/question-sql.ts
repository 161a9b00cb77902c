import type { Connection } from './connection.ts'
import type { QuestionStore } from './question.ts'
import { createQuestions } from './questions.ts'
import { stringLiteral } from './sql/tokens.ts'

export type QuestionSqlStore = {
  /** Returns the SQL of the first statement that a question sends, with its values in place, for people to read. */
  sqlOf(ask: (store: QuestionStore) => Promise<unknown>): Promise<string>
}

const literalOf = (value: unknown): string =>
  Array.isArray(value)
    ? `[${value.map(literalOf).join(', ')}]`
    : typeof value === 'number' || typeof value === 'bigint'
      ? String(value)
      : stringLiteral(String(value))

/** Puts bound values in the places of a statement. One pass: a value can look like a place. */
const inlined = (sql: string, bound: Readonly<Record<string, unknown>>): string =>
  sql
    .replace(/\{(\w+):[^{}]+\}/g, (place, name: string) =>
      Object.hasOwn(bound, name) ? literalOf(bound[name]) : place,
    )
    .replace(/\n\s+/g, '\n')

/** Creates the questions over a connection that only records what it is asked. */
export function createQuestionSql(connection: Connection, database: string): QuestionSqlStore {
  return {
    async sqlOf(ask) {
      let first = ''
      const record = (sql: string, bound: Readonly<Record<string, unknown>> = {}) => {
        first ||= inlined(sql, bound)
      }
      const recording: Connection = {
        ...connection,
        rows: async (sql, bound) => {
          record(sql, bound)
          return []
        },
        read: async (sql, bound) => {
          record(sql, bound)
          return { rows: [], rowsRead: 0, bytesRead: 0 }
        },
      }
      await ask(createQuestions(recording, database))
      return first
    },
  }
}
