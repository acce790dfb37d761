import { endpoints } from '../endpoint.ts'

export const healthEndpoints = endpoints({
  getHealth: {
    method: 'GET',
    path: '/healthz',
    group: 'health',
    tag: 'Health',
    summary: 'Returns `ok` while the process is up',
    reply: { kind: 'document', type: 'text/plain' },
    errors: [],
  },
  getReadiness: {
    method: 'GET',
    path: '/readyz',
    group: 'health',
    tag: 'Health',
    summary: 'Returns `ok` while a configuration is loaded and the server accepts requests',
    reply: { kind: 'document', type: 'text/plain' },
    errors: [503],
  },
})
