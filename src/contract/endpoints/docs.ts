import { z } from 'zod'
import { endpoints } from '../endpoint.ts'

/** Where the console is. */
export const CONSOLE_PATH = '/console/'

export const docsEndpoints = endpoints({
  getLanding: {
    method: 'GET',
    path: '/',
    group: 'docs',
    tag: 'Docs',
    summary: 'Landing page',
    reply: { kind: 'document', type: 'text/html' },
    errors: [],
  },
  getApiDescription: {
    method: 'GET',
    path: '/doc',
    group: 'docs',
    tag: 'Docs',
    summary: 'This API as OpenAPI 3.1',
    reply: { kind: 'document', type: 'application/json' },
    errors: [],
  },
  getApiExplorer: {
    method: 'GET',
    path: '/ui',
    group: 'docs',
    tag: 'Docs',
    summary: 'Interactive API explorer, when enabled',
    reply: { kind: 'document', type: 'text/html' },
    errors: [404],
  },
  getApiExplorerAsset: {
    method: 'GET',
    path: '/ui/:asset',
    group: 'assets',
    tag: 'Docs',
    summary: 'Scripts and styles of the explorer; they hold no data',
    params: z.object({ asset: z.string().describe('File name') }),
    reply: { kind: 'document', type: '*/*' },
    errors: [404],
  },
  getConsole: {
    method: 'GET',
    path: '/console/*',
    group: 'assets',
    tag: 'Docs',
    summary: 'The console, when enabled; its files hold no data',
    reply: { kind: 'document', type: '*/*' },
    errors: [404],
  },
})
