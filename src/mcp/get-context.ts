import { InvalidArgumentError } from '../errors.ts'
import type { Arguments, Tool } from './tool.ts'

const TEXTS = {
  query: {
    type: 'string',
    description: 'What is asked now: older messages that may answer it are added.',
  },
  instructions: { type: 'string', description: 'Your own instructions: they are put first.' },
  model: {
    type: 'string',
    description: 'The name of the model that reads it, by whose tokens it is counted.',
  },
}

export const GET_CONTEXT: Tool = {
  name: 'get_context',
  description:
    'What a model needs to know of a chat for its next answer, within a budget of tokens: the memory, a summary of what was said long ago, and the newest messages as they were said.',
  parameters: () => ({
    type: 'object',
    properties: {
      budget: { type: 'integer', minimum: 1, description: 'Tokens of all of it. Left out: as configured.' },
      ...TEXTS,
    },
    required: [],
    additionalProperties: false,
  }),
  needs: 'read',
  isIdempotent: true,
  execute: async ({ palimpsest, traits, outputReserve }, sessionId, args) => {
    const context = await palimpsest.session(sessionId, traits).context({
      ...(outputReserve !== undefined && { outputReserve }),
      ...budgetOf(args),
      ...textsOf(args),
    })
    const { instructions, report } = context
    const text = context.toText()
    return {
      data: { recalled: true, instructions, text, report },
      text: [instructions, text].filter(Boolean).join('\n\n'),
    }
  },
}

/** Models send numbers as text, too. */
function budgetOf({ budget }: Arguments): { budget?: number } {
  if (budget === undefined) return {}
  const number = typeof budget === 'string' && /^\d{1,15}$/.test(budget) ? Number(budget) : budget
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 1)
    throw new InvalidArgumentError('budget', budget, 'a whole number of at least 1')
  return { budget: number }
}

function textsOf(args: Arguments): Readonly<Record<string, string>> {
  const given = Object.keys(TEXTS).flatMap(name => (args[name] === undefined ? [] : [[name, args[name]]]))
  for (const [name, value] of given)
    if (typeof value !== 'string') throw new InvalidArgumentError(String(name), value, 'text')
  return Object.fromEntries(given)
}
