/** The rows of the table, by fault. */
export const ROWS = {
  summariser: {
    works: 'the summariser works (control)',
    'http-500': 'the summariser answers 500',
    empty: 'the summariser answers with nothing',
    refusal: 'the summariser refuses, in words',
    'cut-off': 'the summary is cut off by length',
  },
  killed: {
    summary: 'killed while the summary is written',
    write: 'killed before a write of the compaction',
    outside: 'killed in the middle of turns',
  },
  meanwhile: { only: '5 messages arrive during compaction' },
  tools: { only: 'a tool call and its results at the cut' },
  chinese: { only: 'a search for 北京 and 发布' },
} as const

export type FaultName = keyof typeof ROWS

export const FAULTS = Object.keys(ROWS) as FaultName[]

export function rowsOf(fault: FaultName): readonly string[] {
  return Object.values(ROWS[fault])
}
