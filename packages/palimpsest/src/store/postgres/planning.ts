/**
 * For every statement of the store there is an index that leads to the wanted rows in the wanted order. But a
 * planner without statistics, or with those of a table that has grown tenfold since, may choose another way:
 * gather a whole namespace and sort it, or read a whole table. And a statement that reads a few rows is never
 * worth compiling. So these choices are switched off, for our own transactions.
 */
const OFF = ['enable_seqscan', 'enable_bitmapscan', 'enable_hashjoin', 'enable_mergejoin', 'jit']

export function inIndexOrder(set: 'SET' | 'SET LOCAL'): string {
  return OFF.map(name => `${set} ${name} = off`).join('; ')
}
