import { join } from 'node:path'
import { createPalimpsest, postgres, sqlite, window } from 'palimpsest'
import { type Context, type Opened, type Place, LAST_MESSAGES as TAIL } from '../contestant.ts'

const AT_ONCE = 1_000
const BUDGET = 8_000
const FOLD_AT = 12

export async function open(place: Place, variant: string): Promise<Opened> {
  const isAllOn = variant.endsWith('all on')
  const palimpsest = await createPalimpsest({
    store: storeFor(place, variant),
    policy: window({ tailKeepSize: TAIL, compressionWindowSize: FOLD_AT }),
    folding: isAllOn ? 'background' : 'manual',
    indexing: isAllOn ? 'background' : 'off',
  })
  const chat = palimpsest.session('bench')
  let sinceFold = 0

  const settle = async () => {
    if (isAllOn) {
      await palimpsest.settled()
      return
    }
    if (sinceFold < FOLD_AT) return
    const { outcome } = await chat.compact()
    if (outcome === 'failed') throw new Error('A fold failed.')
    sinceFold = 0
  }

  return {
    fill: async (messages, progress) => {
      for (let from = 0; from < messages.length; from += AT_ONCE) {
        const part = messages.slice(from, from + AT_ONCE)
        await chat.append(part)
        sinceFold += part.length
        await settle()
        progress(from + part.length)
      }
    },
    append: message => {
      sinceFold += 1
      return chat.append(message)
    },
    settle,
    context: async (): Promise<Context> => {
      const { messages, report } = await chat.context({ budget: BUDGET })
      return {
        messages: messages.length,
        hasSummary: report.blocks.some(({ name }) => name === 'session_memory'),
        // After a reply comes a note that there is nothing new.
        newest: messages
          .slice(-2)
          .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)))
          .join(),
      }
    },
    readDurability: async () =>
      variant === 'postgres' ? 'as the server' : `durability: '${variant.split(',')[0]}'`,
    close: () => palimpsest.close(),
  }
}

function storeFor({ folder, url, schema }: Place, variant: string) {
  if (variant === 'postgres') return postgres(url!, { schema })
  return sqlite(join(folder, 'palimpsest.db'), { durability: variant.startsWith('full') ? 'full' : 'normal' })
}
