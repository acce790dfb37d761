import { z } from 'zod'
import type { ApiClient } from '../../client/api.ts'
import { pageOfRunError, pageOfLoadFailure } from '../../contract/explaining-page.ts'
import { LogLevel } from '../../contract/endpoints/log.ts'
import { TraceId } from '../../contract/endpoints/trace.ts'
import { MAX_SEARCH_CHARS } from '../../contract/search/search-query.ts'
import { AppError } from '../../lib/errors.ts'
import { codingTool, IdInput } from './coding-tool.ts'
import type { CodingTool } from './coding-tool.ts'
import { readDocsPage, searchDocs } from './docs-search.ts'
import { rerunOnSave } from './rerun-on-save.ts'

const Limit = (most: number, usual: number) =>
  z.int().min(1).max(most).optional().describe(`Most results; default ${usual}`)

const RECORD_LOGS = '100'

const list = codingTool({
  name: 'list',
  description:
    'List the workflows, agents, tools and schedules of the project. With `workflow` or `agent`: one of them, with its steps or tools and its input schema.',
  input: z.object({
    workflow: IdInput.optional().describe('Id of a workflow'),
    agent: IdInput.optional().describe('Id of an agent'),
  }),
  readOnly: true,
  run: async ({ workflow, agent }, { client }) => {
    if (workflow !== undefined) return client.getWorkflow({ params: { id: workflow } })
    if (agent !== undefined) return client.getAgent({ params: { id: agent } })
    const [workflows, agents, tools, schedules] = await Promise.all([
      client.listWorkflows(),
      client.listAgents(),
      client.listTools(),
      client.listSchedules(),
    ])
    return {
      workflows,
      agents: agents.map(({ id, name, description }) => ({ id, name, description })),
      tools: tools.map(({ name, description }) => ({ name, description })),
      schedules,
    }
  },
})

const failures = codingTool({
  name: 'failures',
  description:
    'What is broken now: why the newest save failed to load (with file, line and source), and the newest failed executions and agent runs with their errors. Start here.',
  input: z.object({ limit: Limit(50, 10) }),
  readOnly: true,
  run: async ({ limit = 10 }, { client, lastLoad }) => {
    const load = lastLoad()
    const loadError =
      load?.type === 'config:error' ? { at: load.at, ...load.data, docs: pageOfLoadFailure(load.data) } : null
    const executions = await client.observeExecutions({ query: { status: 'error', limit: String(limit) } })
    const runs = await client.search({ query: { q: 'status:failed kind:run', limit: String(limit) } })
    return {
      loadError,
      executions: executions.map(({ id, workflowId, endedAt, error }) => ({
        id,
        workflowId,
        endedAt,
        error,
      })),
      agentRuns: runs,
    }
  },
})

const readExecution = codingTool({
  name: 'read_execution',
  description:
    'Read one execution: status, input, output, error with file, line, source and stack, every step with its input, output and error, what it waits for, and its log records.',
  input: z.object({ executionId: IdInput }),
  readOnly: true,
  run: async ({ executionId }, { client }) => {
    const [{ events: _, ...execution }, logs] = await Promise.all([
      client.observeExecution({ params: { executionId } }),
      client.listLogs({ query: { executionId, limit: RECORD_LOGS } }),
    ])
    const { error } = execution
    return {
      ...execution,
      ...(error && { docs: pageOfRunError(error) }),
      logs: logs.toReversed().map(({ level, message, attributes }) => ({ level, message, attributes })),
    }
  },
})

const readTrace = codingTool({
  name: 'read_trace',
  description:
    'Read the spans of a trace: model calls, tool calls, steps and requests, with durations and attributes.',
  input: z.object({ id: IdInput.describe('Id of a trace, or of an execution') }),
  readOnly: true,
  run: async ({ id }, { client }) => client.getTrace({ params: { traceId: await traceIdOf(id, client) } }),
})

async function traceIdOf(id: string, client: ApiClient): Promise<string> {
  if (TraceId.safeParse(id).success) return id
  const { metadata } = await client.observeExecution({ params: { executionId: id } })
  return metadata.traceId
}

const search = codingTool({
  name: 'search',
  description:
    'Search executions and agent runs by words in their ids, inputs, outputs, errors and logs, newest first. Filters: status:failed, workflow:<id>, agent:<id>, user:<id>, kind:execution or kind:run, last:1h.',
  input: z.object({ q: z.string().min(1).max(MAX_SEARCH_CHARS), limit: Limit(100, 20) }),
  readOnly: true,
  run: ({ q, limit = 20 }, { client }) => client.search({ query: { q, limit: String(limit) } }),
})

const logs = codingTool({
  name: 'logs',
  description: 'Read the newest log records of the server and of the code, newest first.',
  input: z.object({
    level: LogLevel.optional().describe('Least level'),
    q: z.string().min(1).max(256).optional().describe('Words in the message or the attributes'),
    executionId: IdInput.optional(),
    traceId: IdInput.optional(),
    workflowId: IdInput.optional(),
    agentId: IdInput.optional(),
    limit: Limit(500, 50),
  }),
  readOnly: true,
  run: ({ limit = 50, ...query }, { client }) =>
    client.listLogs({ query: { ...query, limit: String(limit) } }),
})

const runWorkflow = codingTool({
  name: 'run_workflow',
  description: 'Run a workflow and wait for its result, its suspension or its error.',
  input: z.object({
    workflowId: IdInput,
    input: z.unknown().describe('Input, as the input schema of `list` says'),
  }),
  readOnly: false,
  run: ({ workflowId, input }, { client }, signal) =>
    client.executeWorkflow({ params: { id: workflowId }, body: { input }, signal }),
})

const askAgent = codingTool({
  name: 'ask_agent',
  description: 'Ask an agent, and get its text with its tool calls and their results.',
  input: z.object({
    agentId: IdInput,
    input: z.string().min(1),
    conversationId: IdInput.optional().describe('Conversation that it goes on with'),
  }),
  readOnly: false,
  run: ({ agentId, input, conversationId }, { client }, signal) =>
    client.generateText({
      params: { id: agentId },
      body: { input, ...(conversationId !== undefined && { options: { conversationId } }) },
      signal,
    }),
})

const StepInput = IdInput.describe('Id of the step')

const resume = codingTool({
  name: 'resume',
  description: 'Resume a suspended execution with data, and wait for its result.',
  input: z.object({
    executionId: IdInput,
    resumeData: z.unknown().optional().describe('Data for the step that waits'),
    stepId: StepInput.optional().describe('Which step, when several wait'),
  }),
  readOnly: false,
  run: async ({ executionId, resumeData, stepId }, { client }, signal) => {
    const { workflowId } = await client.observeExecution({ params: { executionId } })
    return client.resumeExecution({
      params: { id: workflowId, executionId },
      body: { resumeData, ...(stepId !== undefined && { options: { stepId } }) },
      signal,
    })
  },
})

const replay = codingTool({
  name: 'replay',
  description:
    'Run an execution again from a step with the code as it is now: the results before the step are copied. Waits for the result.',
  input: z.object({
    executionId: IdInput,
    stepId: StepInput.describe('Id of the step to start from'),
    input: z.unknown().optional().describe('Input of that step; default: the recorded one'),
  }),
  readOnly: false,
  run: async ({ executionId, stepId, input }, { client }, signal) => {
    const { workflowId } = await client.observeExecution({ params: { executionId } })
    return client.replayExecution({
      params: { id: workflowId, executionId },
      body: { stepId, ...(input !== undefined && { input }) },
      signal,
    })
  },
})

const keepCase = codingTool({
  name: 'keep_case',
  description:
    'Write an execution, or an agent run, that has ended as a case file for evals, so that the same input is checked from now on.',
  input: z.object({
    executionId: IdInput.optional().describe('An execution; or else `agentId` and `runId`'),
    agentId: IdInput.optional(),
    runId: IdInput.optional(),
    overwrite: z.boolean().optional().describe('Whether to replace an existing file; default false'),
  }),
  readOnly: false,
  run: ({ executionId, agentId, runId, overwrite = false }, { client }) => {
    if (executionId !== undefined)
      return client.console.keepExecutionCase({ params: { executionId }, body: { overwrite } })
    if (agentId !== undefined && runId !== undefined)
      return client.console.keepAgentRunCase({ params: { id: agentId, runId }, body: { overwrite } })
    throw new AppError('invalid_input', 'Pass executionId, or agentId and runId')
  },
})

const runEvals = codingTool({
  name: 'run_evals',
  description:
    'Run an eval with the code as saved and wait for its scores. Without `evalId`: list the evals with their last runs.',
  input: z.object({ evalId: IdInput.optional() }),
  readOnly: false,
  run: async ({ evalId }, { client, evalEnd }, signal) => {
    if (evalId === undefined) return client.listEvals()
    const { id } = await client.runEval({ params: { id: evalId } })
    await evalEnd(id, signal)
    return client.getEvalRun({ params: { runId: id } })
  },
})

const check = codingTool({
  name: 'check',
  description:
    'Compare the open executions with the code in service: which of them could not go on with it, and why. Do this before a deploy that changes workflows.',
  input: z.object({ limit: Limit(10_000, 1000) }),
  readOnly: true,
  run: ({ limit = 1000 }, { checkOpen }) => checkOpen(limit),
})

const docs = codingTool({
  name: 'docs',
  description:
    'Ask the documentation of agentserver: returns the part of a page that answers best. With `page`: the whole page.',
  input: z.object({
    question: z.string().max(500).optional().describe('Such as `how do I retry a step`'),
    page: z.string().max(200).optional().describe('Path of a page, such as docs/guides/workflows.md'),
  }),
  readOnly: true,
  isLocal: true,
  run: async ({ question = '', page }) => {
    if (page === undefined) return searchDocs(question)
    const found = await readDocsPage(page)
    if (found) return found
    throw new AppError('invalid_input', `There is no page ${page}: ask a question to find its path`)
  },
})

/** The tools for coding agents, in the order in which one uses them. */
export const CODING_TOOLS: readonly CodingTool[] = [
  list,
  failures,
  readExecution,
  readTrace,
  search,
  logs,
  runWorkflow,
  askAgent,
  resume,
  replay,
  rerunOnSave,
  keepCase,
  runEvals,
  check,
  docs,
]
