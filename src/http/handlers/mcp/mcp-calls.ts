import type { Logger } from 'pino'
import type { Agent } from '../../../agent/agent.ts'
import { callToolForClient } from '../../../agent/tools/call-tool-for-client.ts'
import type { Tool } from '../../../agent/tools/tool.ts'
import type { CallerAccess } from '../../../auth/caller-access.ts'
import { NO_WAITS } from '../../../agent/answer/waiting/pending-calls.ts'
import { idOfUser } from '../../../contract/access/user-key.ts'
import type { User } from '../../../contract/auth.ts'
import type { LogRecord } from '../../../contract/endpoints/log.ts'
import type { ClientCall } from '../../../engine/agents/agent-call.ts'
import type { Agents } from '../../../engine/agents/agents.ts'
import { AppError } from '../../../lib/errors.ts'
import { subAgentToolName } from '../../../agent/sub-agent.ts'
import { withMcpSpan } from '../../../mcp/mcp-span.ts'
import { resumeToolName, workflowToolName } from '../../../mcp/tool-name.ts'
import type { Attributes, TraceScope } from '../../../lib/telemetry/trace-scope.ts'
import type { ServedMcpServer } from '../../../mcp/served/served-server.ts'
import type { AgentPrompt, McpCalls } from '../../../mcp/served/served-tool.ts'
import {
  answerWithApprovals,
  formsOf,
  requestCallApproval,
  textWithWaits,
  userToAsk,
} from './mcp-approvals.ts'
import { McpExecutions } from './mcp-executions.ts'
import { McpTasks } from './mcp-tasks.ts'
import type { Services } from '../../services.ts'

export interface McpCaller {
  readonly server: ServedMcpServer
  readonly user: User | undefined
  /** Aborts when the client disconnects or the server stops. */
  readonly signal: AbortSignal
  /** Aborts when the client cancels its request. */
  readonly cancelled: AbortSignal
  /** What the client may call. */
  readonly access: CallerAccess
  /** The parent of the calls' spans. */
  readonly trace: TraceScope
  /** Attributes of the calls' spans. */
  readonly connection: Attributes
}

/**
 * Runs the calls of a client of a served MCP server, recorded like any other calls. Tools and agents are aborted
 * when the client disconnects.
 */
export function mcpCalls(services: Services, caller: McpCaller): McpCalls {
  const { user, signal, cancelled, server, access, connection } = caller
  const { id: serverId } = server
  const { engine } = services.current()
  const { agents, executions } = engine
  const logger = services.logger.child({ mcpServer: serverId })
  const base = { user, userId: user?.id, signal, logger }
  const inSpan = <T>(method: string, target: string, run: (trace: TraceScope) => Promise<T>) =>
    withMcpSpan(caller.trace, { serverId, method, target, kind: 'server', connection }, run)
  // of a resumable agent, it is recorded and can wait
  const askedOf = ({ prompt: input, conversationId }: AgentPrompt, trace: TraceScope): ClientCall => {
    const options = conversationId === undefined ? {} : { conversationId }
    return { input, inputPath: 'input.prompt', options, user, signal, trace, delivery: 'text' }
  }
  const tasksIn = (trace: TraceScope) =>
    new McpTasks({ server, engine, access, user, trace, signal, callOf: (asked) => askedOf(asked, trace) })
  const served = new McpExecutions({ executions, access, user, cancelled, logger })
  const calls: McpCalls = {
    tool: (tool, input, { onLog, ...more }) =>
      inSpan('tools/call', tool.name, async (trace) => {
        await access.to('tool', 'tool', tool.name)
        const asked = await userToAsk(more.elicit, access.decider, {
          kind: 'tool',
          name: tool.name,
          approvedBy: tool.access?.approvedBy,
        })
        const request = { conversationId: undefined, context: {}, ...more }
        const run = (toolLogger: Logger) => {
          const elicit = asked && formsOf(asked)
          const context = { ...base, ...request, elicit, trace, logger: toolLogger }
          const requestApproval = asked && ((given: unknown) => requestCallApproval(asked, tool, given))
          const checkCall = (called: Tool) => access.toCall(called)
          return callToolForClient(tool, input, { checkCall, context, requestApproval })
        }
        const toolLogger = logger.child({ toolName: tool.name })
        return onLog ? runWithLogs(services, toolLogger, { onLog, run }) : run(toolLogger)
      }),
    resource: (resource, found) =>
      inSpan('resources/read', found.uri, (trace) =>
        trace.run(async () => resource.read({ ...base, ...found })),
      ),
    prompt: (prompt, values) =>
      inSpan('prompts/get', prompt.name, (trace) => trace.run(async () => prompt.get(values, base))),
    agent: (agent, question, { elicit }) =>
      inSpan('tools/call', subAgentToolName(agent), async (trace) => {
        await access.to('execute', 'agent', agent.id)
        const { conversationId } = question
        if (conversationId !== undefined) await access.toConversation(conversationId)
        const call = askedOf(question, trace)
        const asked = await userToAsk(elicit, access.decider, { kind: 'run', agentId: agent.id })
        const { text, reason } = asked
          ? await answerWithApprovals(agents, agent, { call, asked, logger })
          : await answerAlone(agents, agent, call)
        if (reason !== undefined) throw new AppError('forbidden', `Blocked by a guardrail: ${reason}`)
        return text
      }),
    workflow: (workflow, input, { elicit }) =>
      inSpan('tools/call', workflowToolName(workflow.id), (trace) =>
        served.execute(workflow, input, { trace, elicit }),
      ),
    resume: (workflow, request, { elicit }) =>
      inSpan('tools/call', resumeToolName(workflow.id), (trace) =>
        served.resume(workflow, request, { trace, elicit }),
      ),
    tasks: {
      workflow: (workflow, input) =>
        inSpan('tools/call', workflowToolName(workflow.id), (trace) =>
          tasksIn(trace).workflow(workflow, input),
        ),
      agent: async (agent, question) =>
        // users without an id can't be told apart, and find no answers
        user && idOfUser(user) === undefined
          ? { value: await calls.agent(agent, question, {}) }
          : inSpan('tools/call', subAgentToolName(agent), (trace) => tasksIn(trace).agent(agent, question)),
      get: (taskId) => tasksIn(caller.trace).get(taskId),
      update: (taskId, responses) =>
        inSpan('tasks/update', taskId, (trace) => tasksIn(trace).update(taskId, responses)),
      cancel: (taskId) => inSpan('tasks/cancel', taskId, (trace) => tasksIn(trace).cancel(taskId)),
    },
  }
  return calls
}

/** The answer for a client that can show no forms. */
async function answerAlone(agents: Pick<Agents, 'text'>, agent: Agent, call: ClientCall) {
  const answer = await agents.text(agent.id, { ...call, waits: NO_WAITS })
  return { text: textWithWaits(agent, answer), reason: answer.reason }
}

interface RunWithLogsOptions<T> {
  readonly onLog: (record: LogRecord) => void
  readonly run: (logger: Logger) => Promise<T>
}

/** Runs work with a logger of its own, and passes its log records on. */
function runWithLogs<T>(
  services: Services,
  logger: Logger,
  { onLog, run }: RunWithLogsOptions<T>,
): Promise<T> {
  const mcpCall = services.newId()
  const stop = services.logFeed.subscribe((record) => {
    if (record.attributes['mcpCall'] === mcpCall) onLog(record)
  })
  return run(logger.child({ mcpCall })).finally(stop)
}
