import { InvalidArgumentError } from 'palimpsest/internals/errors'
import { textsOf } from 'palimpsest/internals/language/index'
import type { Arguments, Tool } from './tool.ts'

const TEXTS = ['query', 'instructions', 'model'] as const

export const GET_CONTEXT: Tool = {
  name: 'get_context',
  description: language => textsOf(language).mcp.getContext,
  parameters: (_, language) => {
    const { budget, ...texts } = textsOf(language).mcp.contextParameters
    return {
      type: 'object',
      properties: {
        budget: { type: 'integer', minimum: 1, description: budget },
        ...Object.fromEntries(TEXTS.map(name => [name, { type: 'string', description: texts[name] }])),
      },
      required: [],
      additionalProperties: false,
    }
  },
  needs: 'read',
  isIdempotent: true,
  execute: async ({ palimpsest, traits, outputReserve }, sessionId, args) => {
    const context = await palimpsest.session(sessionId, traits).context({
      ...(outputReserve !== undefined && { outputReserve }),
      ...budgetOf(args),
      ...givenTexts(args),
    })
    const { instructions, report } = context
    const text = context.toText()
    return {
      data: { recalled: true, instructions, text, report },
      text: [instructions, text].filter(Boolean).join('\n\n'),
    }
  },
}

/** Models sometimes send numbers as text. */
function budgetOf({ budget }: Arguments): { budget?: number } {
  if (budget === undefined) return {}
  const number = typeof budget === 'string' && /^\d{1,15}$/.test(budget) ? Number(budget) : budget
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 1)
    throw new InvalidArgumentError('budget', budget, 'a whole number of at least 1')
  return { budget: number }
}

function givenTexts(args: Arguments): Readonly<Record<string, string>> {
  const given = TEXTS.flatMap(name => (args[name] === undefined ? [] : [[name, args[name]]]))
  for (const [name, value] of given)
    if (typeof value !== 'string') throw new InvalidArgumentError(String(name), value, 'text')
  return Object.fromEntries(given)
}
