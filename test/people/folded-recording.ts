import { telegram } from '../../packages/bot/src/channels/telegram/index.ts'
import { createRuntime, type Responder } from '../../packages/bot/src/index.ts'
import {
  count,
  createPalimpsest,
  type Palimpsest,
  type PalimpsestOptions,
  type Session,
} from '../../packages/palimpsest/src/index.ts'
import type { StorePlace } from '../stores.ts'
import { startTelegramServer } from '../telegram/telegram-server.ts'
import { RECORDED_GROUP, recordedUpdates } from './recorded-group.ts'

/** The recorded group, as a bot that was in it has it after three folds. */
export interface FoldedRecording extends AsyncDisposable {
  readonly palimpsest: Palimpsest
  readonly session: Session
  readonly errors: readonly unknown[]
}

/** After these messages it is folded: at the second one people and chat have changed their names. */
const FOLDED_AFTER = ['2026-02-12', '2026-02-26', '2026-03-15']

export interface RecordingOptions {
  readonly summarizer?: PalimpsestOptions['summarizer']
  readonly responder?: Responder
  /** Messages that stay raw. */
  readonly keepLast?: number
  readonly scope?: string
}

export async function foldRecording(
  place: StorePlace,
  { summarizer, responder = async () => 'approved', keepLast = 2, scope }: RecordingOptions = {},
): Promise<FoldedRecording> {
  const errors: unknown[] = []
  await using server = await startTelegramServer()
  const palimpsest = await createPalimpsest({
    store: await place.open(),
    folding: 'manual',
    policy: count({ threshold: keepLast + 1, keepLast }),
    ...(summarizer && { summarizer }),
  })
  const runtime = createRuntime({
    palimpsest,
    channels: [telegram({ token: server.token, apiRoot: server.url })],
    responder,
    inbox: { quietMs: 0 },
    ...(scope !== undefined && { belongsTo: () => ({ scope }) }),
    onError: error => errors.push(error),
  })
  const session = palimpsest.session(`telegram:${RECORDED_GROUP.id}`)
  try {
    await runtime.start()
    let from = ''
    for (const day of FOLDED_AFTER) {
      for (const update of recordedUpdates.filter(update => dayOf(update) > from && dayOf(update) <= day)) {
        const { message, edited_message: edited } = update
        if (message) server.say(message)
        else server.update({ edited_message: edited! })
      }
      const last = server.pending.at(-1)!.update_id
      await server.until(() => server.confirmedThrough >= last && server.isPolled)
      await runtime.quiet()
      await palimpsest.settled()
      const outcome = await session.compact({ force: true })
      if (outcome.outcome !== 'applied') errors.push(outcome)
      from = day
    }
  } finally {
    await runtime.stop()
  }
  return {
    palimpsest,
    session,
    errors,
    async [Symbol.asyncDispose]() {
      await palimpsest.close()
      await place.remove()
    },
  }
}

function dayOf({ message, edited_message: edited }: (typeof recordedUpdates)[number]): string {
  return new Date((edited?.edit_date ?? message!.date) * 1_000).toISOString().slice(0, 10)
}
