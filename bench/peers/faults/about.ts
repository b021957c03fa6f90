import type { About, ContestantName } from './contestant.ts'

export const ABOUT: Readonly<Record<ContestantName, About>> = {
  palimpsest: {
    name: 'palimpsest',
    title: 'Palimpsest',
    packages: ['palimpsest'],
    setting:
      'SQLite, `count({ threshold: 20, keepLast: 10 })`, a model as summariser, `chat.turn()`. While the summariser fails, the raw messages stay in the context; with a budget, a provisional extract takes their place',
    sources: [],
    without: {},
    shows: 'everything',
    summarises: 'new',
  },
  langchain: {
    name: 'langchain',
    title: 'LangChain',
    packages: ['langchain', '@langchain/langgraph', '@langchain/langgraph-checkpoint-sqlite'],
    setting:
      '`createAgent` with `summarizationMiddleware({ trigger: { messages: 20 }, keep: { messages: 10 } })` and `SqliteSaver`',
    sources: [
      '`langchain/dist/agents/middleware/summarization.js`: `createSummary` returns `Error generating summary: …` from its `catch`, and any other text as it is; the hook then removes all messages and puts this before the last ten. `SqliteSaver` still has the checkpoints from before',
      '`@langchain/langgraph/dist/pregel/loop.js` reads a thread’s newest checkpoint once, at the start of a run, and `SqliteSaver.put` compares nothing: of runs at the same time on one thread, the last to write decides. LangChain’s own server queues or refuses them; the library leaves it to the application',
    ],
    without: { chinese: 'has no search over messages' },
    shows: 'everything',
    summarises: 'all',
  },
  mastra: {
    name: 'mastra',
    title: 'Mastra',
    packages: ['@mastra/memory', '@mastra/core', '@mastra/libsql'],
    setting:
      '`Memory` on LibSQL with observational memory, `messageTokens: 1000` in place of 30,000 and the other settings as they are; for the search `semanticRecall: true` with `LibSQLVector` instead',
    sources: [
      '`@mastra/memory/dist/src-*.js`: `parseObserverOutput` takes the list items of an answer without `<observations>`, also none, and knows nothing of why it ended; an empty buffer is passed over (`AsyncBufferObservationStrategy`), but at the threshold `SyncObservationStrategy` stores the empty observation and marks the messages as observed. They stay in the store, and with `retrieval` a model may look there',
      'the same file: `RETRY_CONFIG` has 8 retries from 1 s to 120 s, during which the turn waits, about four minutes in all; then it ends with the error',
    ],
    without: {},
    shows: 'everything',
    summarises: 'new',
    embeds: true,
  },
  'openai-agents': {
    name: 'openai-agents',
    title: 'OpenAI Agents',
    packages: ['@openai/agents'],
    setting:
      '`OpenAIResponsesCompactionSession`, `store: false`, compacting at 10 answers (its default), over a session of ours in SQLite, each call of which is one transaction (the package has none that lasts)',
    sources: [
      '`@openai/agents-openai/dist/memory/openaiResponsesCompactionSession.mjs`: `replaceUnderlyingSessionItems` calls `clearSession()`, then `addItems()`; it undoes a failure of the second, but not the end of the process. `compacted.output ?? []` may be empty. `addItems` waits for a compaction under way',
    ],
    without: {
      tools: 'the cut is made by the provider',
      chinese: 'has no search',
    },
    shows: 'everything',
    summarises: 'all',
  },
  mem0: {
    name: 'mem0',
    title: 'mem0',
    packages: ['mem0ai'],
    setting:
      '`mem0ai/oss` with its local vector store; `search`, the model, then `add` of both messages, as its documentation has it. It keeps what a model extracts, not the messages',
    sources: [
      '`mem0ai/dist/oss/index.mjs`: `addToVectorStore` throws where the model fails; an answer that cannot be parsed is logged, and `add` resolves with no memories. The last ten messages are kept for the next extraction, older ones are deleted (`saveMessages`)',
    ],
    without: {
      tools: 'makes no contexts',
      meanwhile: 'does not compact',
    },
    shows: 'part',
    summarises: 'new',
    embeds: true,
  },
  'json-file': {
    name: 'json-file',
    title: 'JSON file',
    packages: [],
    setting: 'a JSON file that is written anew with each message, and its last 20 messages; the base line',
    sources: [],
    without: { summariser: 'does not compact', meanwhile: 'does not compact' },
    shows: 'part',
    summarises: 'new',
  },
}
