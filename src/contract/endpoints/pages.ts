import { z } from 'zod'
import { endpoints } from '../endpoint.ts'
import { JsonObject } from '../fields.ts'

/** The path of the console. */
export const CONSOLE_PATH = '/console/'

/** An OpenAPI document. */
const ApiDescription = z
  .looseObject({
    openapi: z.string().describe('Version of OpenAPI'),
    info: JsonObject,
    tags: z.array(JsonObject),
    paths: z.record(z.string(), JsonObject).describe('Operations by path and method'),
    components: JsonObject,
  })
  .meta({ id: 'ApiDescription' })

export const pageEndpoints = endpoints({
  getLanding: {
    method: 'GET',
    path: '/',
    group: 'docs',
    tag: 'Docs',
    summary: 'Returns the landing page',
    reply: { kind: 'document', type: 'text/html' },
    errors: [],
  },
  getLlmsText: {
    method: 'GET',
    path: '/llms.txt',
    group: 'docs',
    tag: 'Docs',
    summary: 'Returns the list of documentation pages for language models (llmstxt.org), in development only',
    reply: { kind: 'document', type: 'text/plain' },
    errors: [404],
  },
  getApiDescription: {
    method: 'GET',
    path: '/doc',
    group: 'docs',
    tag: 'Docs',
    summary: 'Returns this API description (OpenAPI 3.1)',
    reply: { kind: 'document', type: 'application/json', schema: ApiDescription },
    errors: [],
  },
  getApiExplorer: {
    method: 'GET',
    path: '/ui',
    group: 'docs',
    tag: 'Docs',
    summary: 'Returns the interactive API explorer, when enabled',
    reply: { kind: 'document', type: 'text/html' },
    errors: [404],
  },
  getApiExplorerAsset: {
    method: 'GET',
    path: '/ui/:asset',
    group: 'assets',
    tag: 'Docs',
    summary: 'Returns scripts and styles of the API explorer, which contain no data',
    params: z.object({ asset: z.string().describe('File name') }),
    reply: { kind: 'document', type: '*/*' },
    errors: [404],
  },
  getConsole: {
    method: 'GET',
    path: '/console/*',
    group: 'assets',
    tag: 'Console',
    summary: 'Returns files of the console, when enabled, which contain no data',
    reply: { kind: 'document', type: '*/*', revalidated: true },
    errors: [404],
  },
})
