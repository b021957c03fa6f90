import { endpoint } from '../endpoint.ts'

const metrics = endpoint({
  method: 'get',
  path: '/metrics',
  summary: 'Figures for Prometheus, of what this process did in the namespace of the key',
  answers: { 200: 'in the text format of Prometheus' },
  answerType: 'text/plain',
  handle: async ({ metrics, events, version }) => {
    const { contentType, text } = await metrics.report({ listeners: events.count(), version })
    return { headers: { 'content-type': contentType }, body: text }
  },
})

export const metricsRoutes = [metrics]
