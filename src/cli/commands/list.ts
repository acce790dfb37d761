import type { ScheduleDetail } from '../../contract/endpoints/schedule.ts'
import { Argument } from 'commander'
import type { ApiClient } from '../../client/api.ts'
import type { ExecutionRecord } from '../../contract/endpoints/execution.ts'
import { PAGE } from '../../contract/fields.ts'
import { modelsText } from '../../client/models-text.ts'
import { statusWord } from '../../contract/status/status-word.ts'
import { connect } from '../connect/connect.ts'
import { examples } from '../command.ts'
import type { CliCommand, CommandCall } from '../command.ts'
import { EXIT } from '../exit-code.ts'
import { noteUnknownName } from '../error-hints.ts'
import { METADATA_FILTER, collect, readMetadataFilter } from '../options/metadata-option.ts'
import { readStatus, statusOption } from '../options/execution-options.ts'
import { duration } from '../print/duration.ts'
import { table } from '../print/table.ts'
import type { Terminal } from '../print/terminal.ts'

export const list: CliCommand = {
  define: (command) => {
    command
      .addArgument(
        new Argument('[what]', 'resource to list').choices(Object.keys(LISTS)).default('workflows'),
      )
      .option('--workflow <id>', 'executions of this workflow')
      .addOption(statusOption())
      .option(...METADATA_FILTER, collect)
      .option('--from <instant>', 'executions created after this ISO 8601 time')
      .option('--to <instant>', 'executions created before this ISO 8601 time')
      .option(
        '--limit <n>',
        `maximum number of executions (default: ${PAGE.defaultLimit}, at most ${PAGE.maxLimit})`,
      )
      .option('--offset <n>', 'number of executions to skip')
      .addHelpText(
        'after',
        examples(
          'list',
          'list agents',
          'list tools',
          'list schedules',
          'list executions --status suspended',
          'list executions --workflow order --limit 5 --json',
        ),
      )
  },
  run: async (call) => {
    const { client } = await connect(call, { readOnly: true })
    await LISTS[call.args[0] ?? '']?.(client, call)
    return EXIT.done
  },
}

/** The resources that can be listed. */
const LISTS: Readonly<Record<string, (client: ApiClient, call: CommandCall) => Promise<void>>> = {
  workflows: listWorkflows,
  agents: listAgents,
  tools: listTools,
  schedules: listSchedules,
  executions: listExecutions,
}

async function listWorkflows(client: ApiClient, { terminal }: CommandCall): Promise<void> {
  const workflows = await client.listWorkflows()
  if (terminal.json) return terminal.printValue(workflows)
  if (workflows.length === 0) return terminal.note('The configuration declares no workflows.')
  const rows = workflows.map(({ id, stepsCount, status, purpose, name }) => [
    id,
    String(stepsCount),
    status,
    purpose || name,
  ])
  terminal.print(table(['WORKFLOW', 'STEPS', 'STATUS', 'PURPOSE'], rows, terminal))
}

async function listAgents(client: ApiClient, { terminal }: CommandCall): Promise<void> {
  const agents = await client.listAgents()
  if (terminal.json) return terminal.printValue(agents)
  if (agents.length === 0) return terminal.note('The configuration declares no agents.')
  const rows = agents.map((agent) => {
    const { id, served, tools, perRequest, description, name } = agent
    const usedTools = perRequest.includes('tools') ? 'per request' : tools.map((tool) => tool.name).join(', ')
    const usedBy = served ? 'API' : 'steps, agents'
    return [id, modelsText(agent) ?? 'none', usedBy, usedTools, description || name]
  })
  terminal.print(table(['AGENT', 'MODEL', 'USED BY', 'TOOLS', 'DESCRIPTION'], rows, terminal))
}

async function listTools(client: ApiClient, { terminal }: CommandCall): Promise<void> {
  const tools = await client.listTools()
  if (terminal.json) return terminal.printValue(tools)
  if (tools.length === 0) return terminal.note('The configuration declares no tools.')
  const rows = tools.map(({ name, agents, serverId, source, description }) => [
    name,
    serverId ?? source,
    agents.join(', '),
    description,
  ])
  terminal.print(table(['TOOL', 'FROM', 'AGENTS', 'DESCRIPTION'], rows, terminal))
}

async function listSchedules(client: ApiClient, { terminal }: CommandCall): Promise<void> {
  const schedules = await client.listSchedules()
  if (terminal.json) return terminal.printValue(schedules)
  if (schedules.length === 0) return terminal.note('The configuration declares no schedules.')
  const rows = schedules.map(({ id, workflowId, cron, every, timezone, paused, next, lastRun }) => [
    id,
    workflowId,
    cron === undefined ? `every ${every}` : `${cron} (${timezone})`,
    paused ? 'paused' : (next[0] ?? 'never'),
    lastRunText(lastRun),
  ])
  terminal.print(table(['SCHEDULE', 'WORKFLOW', 'TIMES', 'NEXT', 'LAST'], rows, terminal))
}

function lastRunText(lastRun: ScheduleDetail['lastRun']): string {
  if (lastRun === null) return ''
  const { scheduledAt, status, error } = lastRun
  return `${scheduledAt} ${error ?? statusWord(status ?? 'deleted')}`
}

async function listExecutions(client: ApiClient, { options, terminal }: CommandCall): Promise<void> {
  const { workflow: workflowId, from, to, limit, offset } = options as Record<string, string | undefined>
  const status = readStatus(options)
  const metadata = readMetadataFilter(options)
  const query = { workflowId, status, from, to, limit, offset, ...metadata }
  const executions = await client.listExecutions({ query })
  if (terminal.json) return terminal.printValue(executions)
  if (executions.length === 0) {
    terminal.note('No executions found.')
    return noteUnknownName(terminal, { workflows: workflowId }, client)
  }
  terminal.print(executionTable(executions, terminal))
  const size = Number(limit ?? PAGE.defaultLimit)
  const next = Number(offset ?? 0) + size
  if (executions.length === size)
    terminal.note(terminal.notePaint.dim(`More records may exist; use --offset ${next}`))
}

/** The columns that a narrow terminal keeps. */
function narrow({ width }: Terminal): readonly string[] {
  return width < 80 ? ['WORKFLOW', 'STATUS'] : ['EXECUTION']
}

function executionTable(executions: readonly ExecutionRecord[], terminal: Terminal): string {
  const rows = executions.map(({ id, workflowId, status, createdAt, endedAt }) => [
    id,
    workflowId,
    statusWord(status),
    duration(Date.now() - Date.parse(createdAt)),
    endedAt === undefined ? '' : duration(Date.parse(endedAt) - Date.parse(createdAt)),
  ])
  // below 80 columns, what it is and how it is doing are read first; ids are for --json
  return table(['EXECUTION', 'WORKFLOW', 'STATUS', 'AGE', 'DURATION'], rows, terminal, narrow(terminal))
}
