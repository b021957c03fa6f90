/**
 * Waits for one thing that never answers, with nothing else that would keep the process alive, and says when it was
 * told that the time is over. Argument: what is waited for.
 */
import { createClassic } from '../../packages/palimpsest/src/classic/index.ts'
import {
  count,
  createPalimpsest,
  custom,
  type Summarizer,
  sqlite,
} from '../../packages/palimpsest/src/index.ts'
import { condenseLines } from '../../packages/palimpsest/src/memory/condense-document.ts'

const NEVER = new Promise<never>(() => {})
const LIMITS = { summarizerTimeoutMs: 200, policyTimeoutMs: 200 }
const HANGS: Summarizer = { name: 'hangs', version: '1', summarize: () => NEVER, extractFacts: () => NEVER }
const MESSAGES = Array.from({ length: 12 }, (_, index) => ({
  role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
  content: `Message ${index + 1}: ${'it tells of the garden, of the well and of the road to the sea. '.repeat(20)}`,
}))

const WAITING: Readonly<Record<string, () => Promise<unknown>>> = {
  async fold() {
    const palimpsest = await open({ summarizer: HANGS, policy: count({ threshold: 8, keepLast: 2 }) })
    await palimpsest.session('chat').append(MESSAGES)
    const { outcome, reason } = await palimpsest.session('chat').compact({ force: 'lite' })
    return `${outcome}: ${reason}`
  },
  async policy() {
    const palimpsest = await open({ policy: custom(() => NEVER) })
    await palimpsest.session('chat').append(MESSAGES)
    return palimpsest
      .session('chat')
      .judge()
      .catch(error => error.code)
  },
  async classic() {
    const classic = await createClassic({ store: sqlite(':memory:'), indexing: 'off', ...LIMITS })
    const session = await classic.session('chat')
    await session.append(MESSAGES)
    session.setPolicyHandler(() => NEVER)
    return session.judgeResize().catch(error => error.name)
  },
  async condensing() {
    const lines = Array.from(
      { length: 40 },
      (_, index) => `- 2026-01-15: ${MESSAGES[index % 12]!.content} ${index}`,
    )
    const condensed = await condenseLines(`# Memory\n\n## History\n${lines.join('\n')}\n`, {
      budgetTokens: 200,
      facts: [],
      zone: 'UTC',
      summarizer: HANGS,
      timeoutMs: 200,
    })
    return condensed !== null
  },
}

function open(options: object) {
  return createPalimpsest({
    store: sqlite(':memory:'),
    folding: 'manual',
    indexing: 'off',
    ...LIMITS,
    ...options,
  })
}

console.log(String(await WAITING[process.argv[2]!]!()))
