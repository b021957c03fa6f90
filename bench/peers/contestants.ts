import type { Contestant, Durability } from './contestant.ts'

const palimpsest = () => import('./contestants/palimpsest.ts')
const langgraph = () => import('./contestants/langgraph.ts')
const agents = () => import('./contestants/openai-agents.ts')
const bareSqlite = () => import('./contestants/bare-sqlite.ts')

const SAME_WORK =
  'Policy `window` (the last 40 messages raw, the rest in segments), judged at each append. Folds and search index are made outside of what is timed, since no other makes any.'
const ALL_ON =
  'As it comes: folds and search index are made in the background while appends are timed, in the same process.'
const CHECKPOINTS =
  'A checkpoint holds the whole list, and each append writes one (`updateState`, the quickest of its ways to add a message). Its context is `getState` and the last 40. No search, no summary of its own; filled by one checkpoint with all messages.'

/** Each is loaded in a process of its own; what stands here costs nothing to read. */
export const CONTESTANTS: readonly Contestant[] = [
  {
    name: 'palimpsest-full',
    label: 'Palimpsest, SQLite FULL',
    role: 'ours',
    durability: 'full',
    packages: ['palimpsest'],
    variant: 'full',
    notes: SAME_WORK,
    load: palimpsest,
  },
  {
    name: 'palimpsest-normal',
    label: 'Palimpsest, SQLite NORMAL',
    role: 'ours',
    durability: 'normal',
    packages: ['palimpsest'],
    variant: 'normal',
    notes: SAME_WORK,
    load: palimpsest,
  },
  {
    name: 'palimpsest-postgres',
    label: 'Palimpsest, PostgreSQL',
    role: 'ours',
    durability: 'server',
    packages: ['palimpsest'],
    variant: 'postgres',
    notes: SAME_WORK,
    load: palimpsest,
  },
  {
    name: 'palimpsest-full-all-on',
    label: 'Palimpsest, SQLite FULL, all on',
    role: 'ours, all on',
    durability: 'full',
    packages: ['palimpsest'],
    variant: 'full, all on',
    notes: ALL_ON,
    load: palimpsest,
  },
  {
    name: 'palimpsest-normal-all-on',
    label: 'Palimpsest, SQLite NORMAL, all on',
    role: 'ours, all on',
    durability: 'normal',
    packages: ['palimpsest'],
    variant: 'normal, all on',
    notes: ALL_ON,
    load: palimpsest,
  },
  {
    name: 'mastra-libsql',
    label: 'Mastra memory, LibSQL',
    role: 'peer',
    durability: 'normal',
    packages: ['@mastra/memory', '@mastra/libsql'],
    variant: '',
    notes:
      '`saveMessages` and `recall` of 40 messages without a total, with working memory for the summary. Semantic recall and observational memory need models and are off: nothing is summarised, nothing older is seen.',
    load: () => import('./contestants/mastra.ts'),
  },
  {
    name: 'langgraph-sqlite',
    label: 'LangGraph, SQLite checkpointer',
    role: 'peer',
    durability: 'normal',
    packages: ['@langchain/langgraph', '@langchain/langgraph-checkpoint-sqlite'],
    variant: 'sqlite',
    notes: CHECKPOINTS,
    load: langgraph,
  },
  {
    name: 'langgraph-sqlite-trimmed',
    label: 'LangGraph, SQLite, older messages removed',
    role: 'peer',
    durability: 'normal',
    packages: ['@langchain/langgraph', '@langchain/langgraph-checkpoint-sqlite'],
    variant: 'sqlite, trimmed',
    forgets: true,
    notes:
      'The other way of its documentation: `RemoveMessage` for all but the last 40, and a summary in the state. What was removed is in old checkpoints only, each with 40 messages, and the graph does not see it; so the size of the history makes no difference.',
    load: langgraph,
  },
  {
    name: 'langgraph-postgres',
    label: 'LangGraph, PostgreSQL checkpointer',
    role: 'peer',
    durability: 'server',
    packages: ['@langchain/langgraph', '@langchain/langgraph-checkpoint-postgres'],
    variant: 'postgres',
    notes: CHECKPOINTS,
    load: langgraph,
  },
  {
    name: 'agents-memory',
    label: 'OpenAI Agents, MemorySession',
    role: 'peer',
    durability: 'none',
    packages: ['@openai/agents'],
    variant: 'memory',
    notes:
      'The only session of the package that needs no service: it keeps nothing, "for demos or tests". No summary, no search; it has no first context in a new process.',
    load: agents,
  },
  {
    name: 'agents-file',
    label: 'OpenAI Agents, file session',
    role: 'peer',
    durability: 'unsynced',
    packages: ['@openai/agents'],
    variant: 'file',
    notes:
      'A session over one JSON file, as the examples of its repository have one: read, added to and written whole. No summary, no search, nothing synced.',
    load: agents,
  },
  {
    name: 'mem0',
    label: 'mem0, local store',
    role: 'peer',
    durability: 'full',
    packages: ['mem0ai'],
    variant: '',
    notes:
      '`add` with `infer: false`, history off; its context is `search` for the newest message, 40 results. It wants embeddings: a stand-in of 384 numbers that costs nothing, so a real model comes on top. It returns what is similar, not what is last, and keeps neither roles nor order.',
    load: () => import('./contestants/mem0.ts'),
  },
  {
    name: 'json-file',
    label: 'A JSON file, rewritten',
    role: 'peer',
    durability: 'unsynced',
    packages: [],
    variant: '',
    notes:
      'Read, parsed, added to, written: a script that keeps nothing between two messages. A crash in the middle of writing leaves half a file.',
    load: () => import('./contestants/json-file.ts'),
  },
  {
    name: 'bare-sqlite-full',
    label: 'Bare SQLite FULL',
    role: 'bare',
    durability: 'full',
    packages: [],
    variant: 'full',
    notes: 'One prepared insert, one select: what the database itself costs. The floor, not a peer.',
    load: bareSqlite,
  },
  {
    name: 'bare-sqlite-normal',
    label: 'Bare SQLite NORMAL',
    role: 'bare',
    durability: 'normal',
    packages: [],
    variant: 'normal',
    notes: 'As above.',
    load: bareSqlite,
  },
  {
    name: 'bare-postgres',
    label: 'Bare PostgreSQL',
    role: 'bare',
    durability: 'server',
    packages: ['pg'],
    variant: '',
    notes: 'One prepared insert on one connection, one select.',
    load: () => import('./contestants/bare-postgres.ts'),
  },
]

/** What starting a process costs before anybody's work begins. */
export const NOTHING: Contestant = {
  name: 'nothing',
  label: 'Node itself',
  role: 'bare',
  durability: 'none',
  packages: [],
  variant: '',
  notes: 'A process of ours that loads nothing.',
  load: () => import('./contestants/nothing.ts'),
}

export function contestantNamed(name: string): Contestant {
  const found = [...CONTESTANTS, NOTHING].find(contestant => contestant.name === name)
  if (found === undefined) throw new Error(`There is no contestant "${name}".`)
  return found
}

/** Ours with the durability that a contestant has, or with a better one. */
export function oursBeside(durability: Durability): string {
  if (durability === 'full') return 'palimpsest-full'
  return durability === 'server' ? 'palimpsest-postgres' : 'palimpsest-normal'
}
