import type { Contestant, ContestantName } from '../contestant.ts'

/** Each is loaded only where it runs: some take a second. */
const LOADERS: Readonly<Record<ContestantName, () => Promise<Contestant>>> = {
  palimpsest: async () => (await import('./palimpsest.ts')).palimpsest,
  langchain: async () => (await import('./langchain.ts')).langchain,
  mastra: async () => (await import('./mastra.ts')).mastra,
  'openai-agents': async () => (await import('./openai-agents.ts')).openaiAgents,
  mem0: async () => (await import('./mem0.ts')).mem0,
  'json-file': async () => (await import('./json-file.ts')).jsonFile,
}

export function loadContestant(name: ContestantName): Promise<Contestant> {
  return LOADERS[name]()
}
