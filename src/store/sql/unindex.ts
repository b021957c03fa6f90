import { type Content, searchableText } from '../../log/index.ts'
import { countTerms } from '../../search/index.ts'
import { changeBlocks, takeOut } from './indexing.ts'
import type { SessionRow } from './rows.ts'
import { run, type Steps } from './steps.ts'

/** Takes messages out of the index: by all that they ever said, whether it had been indexed or not. */
export function* unindexMessages(
  session: SessionRow,
  messages: readonly { readonly seq: number; readonly contents: readonly Content[] }[],
): Steps<void> {
  const places = new Map<string, Set<number>>()
  for (const { seq, contents } of messages)
    for (const content of contents)
      for (const term of countTerms(searchableText(content)).keys())
        places.set(term, (places.get(term) ?? new Set()).add(seq))
  yield* takeOut(session, places)
  yield* changeBlocks(
    session,
    messages.map(({ seq }) => ({ seq, entry: null })),
  )
  for (const { seq } of messages)
    yield* run('DELETE FROM index_changes WHERE session_id = ?1 AND seq = ?2', session.id, seq)
}
