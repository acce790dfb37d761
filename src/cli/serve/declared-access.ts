import { isClientTool } from '../../agent/tools/tool.ts'
import type { Tool } from '../../agent/tools/tool.ts'
import { registeredTools } from '../../agent/tools/registered-tools.ts'
import type { ServerConfig } from '../../config/config.ts'
import type { Callers } from '../../contract/access/callers.ts'
import { nameOfEvent } from '../../step/define-event.ts'
import { placedSteps } from '../../workflow/rules.ts'
import { withChildren } from '../../workflow/with-children.ts'

type Declared = Pick<ServerConfig, 'workflows' | 'agents' | 'tools' | 'mcpServers' | 'authNext' | 'auth'>

/** What user tokens may start, in one line; `undefined` without an auth provider, when everyone may start all. */
export function openToTokens(config: Declared): string | undefined {
  if (!hasProvider(config)) return undefined
  const { workflows, agents } = config
  const open = {
    workflows: workflows.flatMap(({ id, startedBy = 'users' }) => (startedBy === 'users' ? id : [])),
    agents: agents.map(({ id }) => id),
    tools: directTools(config).flatMap((tool) => (callersOf(tool) === 'users' ? tool.name : [])),
    events: [
      ...new Set(
        [...waits(config), ...starts(config)].flatMap(({ event, openTo }) =>
          openTo === 'users' ? (event ?? []) : [],
        ),
      ),
    ],
  }
  const listed = Object.entries(open).filter(([, ids]) => ids.length > 0)
  return listed.length === 0 ? 'nothing' : listed.map(([kind, ids]) => `${kind} ${ids.join(', ')}`).join('; ')
}

/** Who may cause what with each workflow, agent, tool and waiting step: a line each. None without an auth provider. */
export function accessTable(config: Declared): string[] {
  if (!hasProvider(config)) return []
  const { workflows, agents } = config
  const strict = config.authNext?.ownership === 'strict'
  const resumed = config.authNext?.authorize ? 'whom authorize allows' : strict ? 'the owner' : 'users'
  return [
    ...withChildren(workflows).map((workflow) => {
      const { id, startedBy = 'users', resumableBy } = workflow
      const starters = workflows.includes(workflow) ? startedBy : 'steps (not served)'
      return `workflow ${id}: started by ${starters}, resumed by ${resumableBy ?? resumed}`
    }),
    ...agents.map(({ id }) => `agent ${id}: called by users`),
    ...directTools(config).map((tool) => {
      const { needsApproval = false, approvedBy } = tool.access ?? {}
      const approval = needsApproval ? `, approved by ${approvedBy ?? 'whoever may resume'}` : ''
      return `tool ${tool.name}: called directly by ${callersOf(tool)}${approval}`
    }),
    ...waits(config).map(({ id, event, workflowId, openTo }) =>
      event === undefined
        ? `sleep ${id} of ${workflowId}: woken by ${openTo}`
        : `event ${event} of ${workflowId}: sent by ${openTo}`,
    ),
    ...starts(config).map(
      ({ event, workflowId, openTo }) => `event ${event} starts ${workflowId}: sent by ${openTo}`,
    ),
  ]
}

function hasProvider({ authNext, auth }: Declared): boolean {
  return (authNext?.provider ?? auth) !== undefined
}

/** The tools that a request can name. */
function directTools({ tools, agents, mcpServers }: Declared): Tool[] {
  const served = mcpServers.flatMap((server) => server.tools)
  const all = registeredTools({ tools: [...tools, ...served], agents, servers: [] })
  return all.flatMap(({ tool }) => (isClientTool(tool) ? [] : tool))
}

function callersOf({ access }: Tool): Callers | 'agents' {
  if (access?.callable === false) return 'agents'
  return access?.needsApproval === false || access?.callable === true ? 'users' : 'operators'
}

/** The events that start workflows: sent by those who may start them. */
function starts({ workflows }: Declared): Omit<Wait, 'id'>[] {
  return withChildren(workflows).flatMap((workflow) => {
    const { id: workflowId, on = [], startedBy = 'users' } = workflow
    const openTo = workflows.includes(workflow) ? startedBy : 'code'
    return on.map(({ event }) => ({ workflowId, event: nameOfEvent(event), openTo }))
  })
}

interface Wait {
  readonly id: string
  readonly workflowId: string
  readonly event: string | undefined
  readonly openTo: Callers
}

/** The steps that wait for an event or a time. */
function waits({ workflows }: Declared): Wait[] {
  return withChildren(workflows).flatMap((workflow) =>
    placedSteps(workflow).flatMap(({ step: { id, event, openTo } }) =>
      openTo === undefined ? [] : [{ id, workflowId: workflow.id, event, openTo }],
    ),
  )
}
