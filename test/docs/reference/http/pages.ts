import type { Tag } from '../../../../src/contract/endpoint.ts'

/** A page of the HTTP API. Its text around the tables is written by hand. */
export interface HttpPage {
  /** The file in docs/reference/http, without `.md`. */
  readonly name: string
  readonly title: string
  readonly summary: string
  readonly tags: readonly Tag[]
}

/** The page of objects that endpoints of several pages have. */
export const OBJECTS_PAGE = 'objects'

export const HTTP_PAGES: readonly HttpPage[] = [
  {
    name: 'workflows',
    title: 'Workflows',
    summary: 'Workflows of the project, and starting them',
    tags: ['Workflows'],
  },
  {
    name: 'executions',
    title: 'Executions',
    summary: 'List, follow, suspend, resume, cancel and replay executions; events and signed links',
    tags: ['Executions'],
  },
  {
    name: 'schedules',
    title: 'Schedules',
    summary: 'List, trigger, pause and resume schedules',
    tags: ['Schedules'],
  },
  {
    name: 'agents',
    title: 'Agents',
    summary: 'Texts, objects, chats, approvals, conversations and working memory',
    tags: ['Agents'],
  },
  { name: 'tools', title: 'Tools', summary: 'List and execute tools', tags: ['Tools'] },
  {
    name: 'openai',
    title: 'OpenAI',
    summary: 'Agents and workflows as models: chat completions and responses',
    tags: ['OpenAI'],
  },
  { name: 'a2a', title: 'A2A', summary: 'Agent cards and the Agent2Agent protocol', tags: ['A2A'] },
  { name: 'mcp', title: 'MCP', summary: 'Served and connected MCP servers', tags: ['MCP'] },
  { name: 'evals', title: 'Evals', summary: 'Evals of the project, and their runs', tags: ['Evals'] },
  {
    name: 'observability',
    title: 'Observability',
    summary: 'Traces, metrics, costs, search, status, stored executions and erasure',
    tags: ['Observability'],
  },
  { name: 'logs', title: 'Logs', summary: 'Log records of the server and of user code', tags: ['Logs'] },
  { name: 'updates', title: 'Updates', summary: "Updates of the project's packages", tags: ['Updates'] },
  {
    name: 'server',
    title: 'Server',
    summary: 'Landing page, API description, API explorer and health probes',
    tags: ['Docs', 'Health'],
  },
  {
    name: 'console',
    title: 'Console',
    summary: 'Endpoints made for the pages of the console',
    tags: ['Console'],
  },
]
