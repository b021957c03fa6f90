import type { Store } from '../packages/palimpsest/src/store/index.ts'

const KEPT_RAW = 60
const OVER_SEGMENTS = 10
const SUMMARY = 'They spoke about the trip, agreed on the dates, and left the hotel open. '.repeat(10)

/** Folds all but the newest messages into ten segments, through the store, as a runtime would. */
export async function foldSession(
  store: Store,
  key: { namespace: string; id: string },
  keptRaw = KEPT_RAW,
  now = Date.now(),
): Promise<void> {
  const source = await store.folds.readPlan(key)
  const head = source?.session.head
  if (!source || !head) throw new Error('There is nothing to fold.')
  const { raw } = source
  const width = Math.ceil((raw.length - keptRaw) / OVER_SEGMENTS)
  for (let index = 0; index < OVER_SEGMENTS; index++) {
    const lease = await store.folds.acquireLease(key, { owner: 'bench', ttlMs: 60_000, now })
    if (lease === null) throw new Error('Somebody else folds.')
    const part = raw.slice(index * width, Math.min(raw.length - keptRaw, (index + 1) * width))
    const amount = {
      messages: part.length,
      characters: part.reduce((sum, message) => sum + message.characters, 0),
      tokens: part.reduce((sum, message) => sum + message.tokens, 0),
    }
    const place = { fromSeq: part[0]!.seq, toSeq: part.at(-1)!.seq }
    const decision = { type: 'lite', reason: 'bench', severity: 0, meta: {} }
    await store.folds.commitFold({
      key,
      operationId: `bench-${index}`,
      leaseToken: lease.token,
      expectedEpoch: lease.epoch,
      plan: { decision, range: { ...place, amount, throughTurn: part.at(-1)!.turn } },
      head,
      segments: [
        {
          ...place,
          messageCount: part.length,
          summary: SUMMARY,
          events: [],
          text: SUMMARY,
          details: ['12 March', 'Hotel Aurora', 'https://example.com/booking/4821'],
          level: 1,
          state: 'live',
          type: decision.type,
          reason: decision.reason,
          summarizer: 'bench',
          promptVersion: '1',
          tokensBefore: amount.tokens,
          tokensAfter: 150,
          absorbs: [],
        },
      ],
      memo: { value: { topic: 'a trip', open: ['hotel'] }, throughSeq: place.toSeq },
      outcome: { reason: 'bench' },
      now,
    })
  }
}
