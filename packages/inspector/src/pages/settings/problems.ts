import { ApiError } from '../../api/api-error.ts'

/** For each setting with a wrong value, what is allowed. */
export type Problems = Readonly<Record<string, string>>

/** The settings that the server refused; empty if it refused something else. */
export function problemsOf(error: unknown): Problems {
  if (!(error instanceof ApiError)) return {}
  const { problems } = error.details
  if (!Array.isArray(problems)) return {}
  return Object.fromEntries(
    problems.flatMap(({ setting, field, allowed }) => {
      const name = setting ?? field
      return typeof name === 'string' ? [[name, String(allowed)]] : []
    }),
  )
}
