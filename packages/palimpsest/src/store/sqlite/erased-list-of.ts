/** Where the list of what was erased from a database is, unless a setting says otherwise. */
export function erasedListOf(database: string): string {
  return `${database}.erased`
}
