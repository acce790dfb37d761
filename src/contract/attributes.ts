/**
 * Names of span attributes. Those without the prefix `agentserver.` follow OpenTelemetry's semantic conventions for
 * HTTP, GenAI (in development), MCP, users and sessions; they have no cost, which tracing backends read as here.
 */
export const ATTRIBUTE = {
  errorType: 'error.type',
  httpMethod: 'http.request.method',
  httpRoute: 'http.route',
  httpStatus: 'http.response.status_code',
  urlPath: 'url.path',
  urlScheme: 'url.scheme',
  userId: 'user.id',
  sessionId: 'session.id',
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  conversationId: 'gen_ai.conversation.id',
  workflowName: 'gen_ai.workflow.name',
  agentId: 'gen_ai.agent.id',
  agentName: 'gen_ai.agent.name',
  agentDescription: 'gen_ai.agent.description',
  requestModel: 'gen_ai.request.model',
  requestStream: 'gen_ai.request.stream',
  requestTemperature: 'gen_ai.request.temperature',
  requestTopP: 'gen_ai.request.top_p',
  requestTopK: 'gen_ai.request.top_k',
  requestMaxTokens: 'gen_ai.request.max_tokens',
  requestSeed: 'gen_ai.request.seed',
  requestStopSequences: 'gen_ai.request.stop_sequences',
  outputType: 'gen_ai.output.type',
  responseId: 'gen_ai.response.id',
  responseModel: 'gen_ai.response.model',
  finishReasons: 'gen_ai.response.finish_reasons',
  timeToFirstChunk: 'gen_ai.response.time_to_first_chunk',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cachedInputTokens: 'gen_ai.usage.cache_read.input_tokens',
  cacheWriteTokens: 'gen_ai.usage.cache_creation.input_tokens',
  reasoningTokens: 'gen_ai.usage.reasoning.output_tokens',
  cost: 'gen_ai.usage.cost',
  systemInstructions: 'gen_ai.system_instructions',
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
  toolName: 'gen_ai.tool.name',
  toolType: 'gen_ai.tool.type',
  toolDescription: 'gen_ai.tool.description',
  toolCallId: 'gen_ai.tool.call.id',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',
  mcpMethod: 'mcp.method.name',
  mcpProtocolVersion: 'mcp.protocol.version',
  mcpSessionId: 'mcp.session.id',
  promptName: 'gen_ai.prompt.name',
  resourceUri: 'mcp.resource.uri',
  rpcRequestId: 'jsonrpc.request.id',
  rpcStatus: 'rpc.response.status_code',
  transport: 'network.transport',
  protocol: 'network.protocol.name',
  serverAddress: 'server.address',
  serverPort: 'server.port',
  workflowId: 'agentserver.workflow.id',
  executionId: 'agentserver.execution.id',
  executionStatus: 'agentserver.execution.status',
  executionInput: 'agentserver.execution.input',
  executionOutput: 'agentserver.execution.output',
  stepId: 'agentserver.step.id',
  stepPath: 'agentserver.step.path',
  stepType: 'agentserver.step.type',
  stepAttempt: 'agentserver.step.attempt',
  stepStatus: 'agentserver.step.status',
  stepInput: 'agentserver.step.input',
  stepOutput: 'agentserver.step.output',
  guardrailReason: 'agentserver.guardrail.reason',
  mcpServerId: 'agentserver.mcp.server.id',
  linkKind: 'agentserver.link.kind',
} as const

/** The attributes with the content of a conversation. */
export const CONVERSATION_CONTENT = [
  ATTRIBUTE.systemInstructions,
  ATTRIBUTE.inputMessages,
  ATTRIBUTE.outputMessages,
  ATTRIBUTE.toolArguments,
  ATTRIBUTE.toolResult,
] as const

/** The attributes with the content of a run, and with whom it is for. */
export const RUN_CONTENT = [
  ...CONVERSATION_CONTENT,
  ATTRIBUTE.executionInput,
  ATTRIBUTE.executionOutput,
  ATTRIBUTE.stepInput,
  ATTRIBUTE.stepOutput,
  ATTRIBUTE.guardrailReason,
  ATTRIBUTE.userId,
  ATTRIBUTE.sessionId,
  ATTRIBUTE.conversationId,
] as const

/** Values of `gen_ai.operation.name`. Spans are named `<operation> <target>`. */
export const OPERATION = {
  workflow: 'invoke_workflow',
  agent: 'invoke_agent',
  chat: 'chat',
  tool: 'execute_tool',
} as const

/**
 * The user and the conversation of a run, for all of its spans. The conversation is also the session: tracing backends
 * group traces by it.
 */
export function callerAttributes({
  userId,
  conversationId,
}: {
  readonly userId?: string | null | undefined
  readonly conversationId?: string | null | undefined
}): Readonly<Record<string, string | undefined>> {
  return {
    [ATTRIBUTE.userId]: userId ?? undefined,
    [ATTRIBUTE.sessionId]: conversationId ?? undefined,
    [ATTRIBUTE.conversationId]: conversationId ?? undefined,
  }
}
