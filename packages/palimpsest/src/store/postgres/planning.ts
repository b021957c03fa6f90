/**
 * Every statement of the store has an index that leads to what it asks for, in the order in which it wants it. A
 * planner without statistics, or with those of a table that has grown tenfold since, may still think that it is
 * quicker to gather a whole namespace and sort it, or to read a whole table; and nothing is worth compiling that
 * reads a few rows. So we say so, for our own transactions.
 */
const OFF = ['enable_seqscan', 'enable_bitmapscan', 'enable_hashjoin', 'enable_mergejoin', 'jit']

export function inIndexOrder(set: 'SET' | 'SET LOCAL'): string {
  return OFF.map(name => `${set} ${name} = off`).join('; ')
}
