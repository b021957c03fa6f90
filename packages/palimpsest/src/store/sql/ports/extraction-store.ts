import type { ExtractionStore } from '../../store.ts'
import type { Calls } from '../calls.ts'

export function sqlExtractionStore(calls: Calls): ExtractionStore {
  return {
    commitExtraction: commit =>
      calls.writeExisting(commit.key, (session, { sql }) =>
        sql.extraction.commitExtraction(session, commit, calls.dialect),
      ),
    judgeExtraction: (key, request) =>
      calls.writeExisting(key, (session, { sql }) => sql.extraction.judgeExtraction(session, request)),
    failExtraction: (key, failure) =>
      calls.writeExisting(key, (session, { sql }) => sql.extraction.failExtraction(session, failure)),
  }
}
