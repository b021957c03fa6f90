/** The default place of the list of what was erased from a database. */
export function erasedListOf(database: string): string {
  return `${database}.erased`
}
