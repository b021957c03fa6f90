import { ApiError } from '../../api/api-error.ts'

/** What is allowed, by the setting that is not. */
export type Problems = Readonly<Record<string, string>>

/** The settings that the server refused; none, where it refused something else. */
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
