import { endpoints } from '../endpoint.ts'

export const healthEndpoints = endpoints({
  getHealth: {
    method: 'GET',
    path: '/healthz',
    group: 'health',
    tag: 'Health',
    summary: 'Whether the process is up: `ok`',
    reply: { kind: 'document', type: 'text/plain' },
    errors: [],
  },
  getReadiness: {
    method: 'GET',
    path: '/readyz',
    group: 'health',
    tag: 'Health',
    summary: 'Whether a configuration is loaded and requests are served: `ok`',
    reply: { kind: 'document', type: 'text/plain' },
    errors: [503],
  },
})
