import { all, type Row, run, type SqlValue, type Steps } from './steps.ts'

/** Lists have few different sizes in the statements, so that there are few statements to prepare. */
const SIZES = [1, 4, 16, 64, 256, 1_024]
const LARGEST = 1_024

/**
 * Reads rows for a list of values of any length. `sql` names the list as `(*)`, after its other parameters.
 * The list is filled up with `NULL`, which matches nothing.
 */
export function* allIn<R = Row>(
  sql: string,
  parameters: readonly SqlValue[],
  values: readonly SqlValue[],
): Steps<readonly R[]> {
  const rows: R[] = []
  for (const part of inParts(sql, parameters, values))
    for (const row of yield* all<R>(part.sql, ...part.parameters)) rows.push(row)
  return rows
}

/** Changes the rows for a list of values of any length. `sql` is as in `allIn`. */
export function* runIn(
  sql: string,
  parameters: readonly SqlValue[],
  values: readonly SqlValue[],
): Steps<void> {
  for (const part of inParts(sql, parameters, values)) yield* run(part.sql, ...part.parameters)
}

function* inParts(sql: string, parameters: readonly SqlValue[], values: readonly SqlValue[]) {
  for (let from = 0; from < values.length; from += LARGEST) {
    const part = values.slice(from, from + LARGEST)
    const size = SIZES.find(each => each >= part.length)!
    const marks = Array.from({ length: size }, (_, place) => `?${parameters.length + place + 1}`)
    const padding = Array<null>(size - part.length).fill(null)
    yield {
      sql: sql.replace('(*)', `(${marks.join(', ')})`),
      parameters: [...parameters, ...part, ...padding],
    }
  }
}
