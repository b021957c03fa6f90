import type { JoinQuestions } from './driver.ts'
import { rowMarks } from './insert-rows.ts'
import { type Asked, isMany, type Query, type Row, type SqlValue, type Steps } from './steps.ts'

/**
 * Carries out several pieces of work side by side in one transaction, step by step. What they ask at the same
 * time is asked together. If their statement is the same and says how, it is sent once for all of them.
 * Returns their results, in their order. The pieces must not depend on one another. An error of one is an
 * error of all.
 */
export function* inLockstep<const Works extends readonly Steps<unknown>[]>(
  works: Works,
  joinQuestions?: JoinQuestions,
): Steps<ResultsOf<Works>> {
  const results: unknown[] = []
  let waiting = works.map((steps, place) => ({ steps, place, next: steps.next() }))
  for (;;) {
    for (const { place, next } of waiting) if (next.done) results[place] = next.value
    waiting = waiting.filter(({ next }) => !next.done)
    if (waiting.length === 0) return results as ResultsOf<Works>
    const asked = waiting.map(({ next }) => next.value as Asked)
    const answers = (yield* askTogether(asked.flat(), joinQuestions)).values()
    const nextAnswer = () => answers.next().value!
    for (const [index, each] of waiting.entries()) {
      const question = asked[index]!
      each.next = each.steps.next(isMany(question) ? question.map(nextAnswer) : nextAnswer())
    }
  }
}

type ResultsOf<Works extends readonly Steps<unknown>[]> = {
  -readonly [Place in keyof Works]: Works[Place] extends Steps<infer Result> ? Result : never
}

/** A statement to be sent. `answers` splits its rows into those of each question that it stands for. */
interface Statement {
  readonly query: Query
  readonly answers: (rows: readonly Row[]) => readonly (readonly Row[])[]
  /** The places of those questions. */
  readonly places: readonly number[]
}

function* askTogether(
  questions: readonly Query[],
  joinQuestions: JoinQuestions | undefined,
): Steps<readonly (readonly Row[])[]> {
  const groups = Map.groupBy(questions.keys(), place => questions[place]!.sql)
  const statements = [...groups.values()].flatMap(places => statementsFor(questions, places, joinQuestions))
  const rows = (yield statements.map(({ query }) => query)) as readonly (readonly Row[])[]
  const answers: (readonly Row[])[] = []
  for (const [index, statement] of statements.entries())
    for (const [nth, answer] of statement.answers(rows[index]!).entries())
      answers[statement.places[nth]!] = answer
  return answers
}

function statementsFor(
  questions: readonly Query[],
  places: readonly number[],
  joinQuestions: JoinQuestions | undefined,
): readonly Statement[] {
  const asked = places.map(place => questions[place]!)
  const { together } = asked[0]!
  const isOne = asked.length > 1 && together !== undefined
  if (isOne && together !== 'questions') return insertTogether(asked, places)
  if (isOne && joinQuestions !== undefined) return [readTogether(asked, places, joinQuestions)]
  return asked.map((query, index) => ({ query, answers: rows => [rows], places: [places[index]!] }))
}

/** In few sizes, so that there are few statements to prepare. */
const SIZES = [32, 16, 8, 4, 2, 1]

function insertTogether(queries: readonly Query[], places: readonly number[]): readonly Statement[] {
  const { sql, together } = queries[0]!
  const rows = queries.map(({ parameters }) => parameters)
  // The same order everywhere, so that no two transactions wait for each other.
  if (together === 'contested rows') rows.sort((a, b) => (String(a) < String(b) ? -1 : 1))
  const statements: Statement[] = []
  let from = 0
  for (const size of SIZES)
    for (; rows.length - from >= size; from += size)
      statements.push({
        query: {
          sql: sql.replace(/VALUES \([^)]*\)/, `VALUES ${rowMarks(size, rows[0]!.length)}`),
          parameters: rows.slice(from, from + size).flat(),
          isUnread: true,
        },
        answers: () => Array(size).fill([]),
        places: places.slice(from, from + size),
      })
  return statements
}

/** Each set of parameters is a row of a table, and the question is joined to that table. */
function readTogether(
  queries: readonly Query[],
  places: readonly number[],
  joinQuestions: JoinQuestions,
): Statement {
  const asked = queries.map(({ parameters }, place) =>
    Object.fromEntries([['place', place] as const, ...parameters.map(named)]),
  )
  const question = queries[0]!.sql.replace(/\?(\d+)/g, 'asked.p$1')
  const sql = joinQuestions(question, queries[0]!.parameters.length)
  return {
    query: { sql, parameters: [JSON.stringify(asked)] },
    answers: rows => {
      const answers = queries.map((): Row[] => [])
      for (const { asked_place: place, ...row } of rows) answers[place as number]!.push(row)
      return answers
    },
    places,
  }
}

const named = (value: SqlValue, index: number) => [`p${index + 1}`, value] as const
