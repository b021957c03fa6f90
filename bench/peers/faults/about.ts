import type { About, ContestantName } from './contestant.ts'

export const ABOUT: Readonly<Record<ContestantName, About>> = {
  palimpsest: {
    name: 'palimpsest',
    title: 'Palimpsest',
    packages: ['palimpsest'],
    setting: 'SQLite, `count({ threshold: 20, keepLast: 10 })`, a model as summariser, `chat.turn()`',
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
    without: {},
    shows: 'everything',
    summarises: 'new',
  },
  'openai-agents': {
    name: 'openai-agents',
    title: 'OpenAI Agents',
    packages: ['@openai/agents'],
    setting:
      '`OpenAIResponsesCompactionSession`, `store: false`, compacting at 10 answers (its default), over a session of ours in SQLite, each call of which is one transaction (the package has none that lasts)',
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
    without: {
      tools: 'makes no contexts',
      meanwhile: 'does not compact',
    },
    shows: 'part',
    summarises: 'new',
  },
  'json-file': {
    name: 'json-file',
    title: 'JSON file',
    packages: [],
    setting: 'a JSON file that is written anew with each message, and its last 20 messages; the base line',
    without: { summariser: 'does not compact', meanwhile: 'does not compact' },
    shows: 'part',
    summarises: 'new',
  },
}
