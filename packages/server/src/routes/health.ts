import { endpoint } from '../endpoint.ts'

const health = endpoint({
  method: 'get',
  path: '/healthz',
  summary: 'Whether the server and its store answer',
  scopes: [],
  answers: { 200: '{ status: "ok", version }' },
  handle: async ({ palimpsest, version }) => {
    // If the store cannot be read, this throws.
    await palimpsest.sessions({ limit: 1 })
    return { json: { status: 'ok', version } }
  },
})

export const healthRoutes = [health]
