/** The first cells of the first table below a heading, without code marks. */
export function rowsBelow(heading: string, page: string): string[] {
  const start = page.indexOf(`\n${heading}\n`)
  if (start === -1) throw new Error(`There is no heading ${heading}`)
  const table = /(?:^\|.*\n)+/m.exec(page.slice(start))?.[0] ?? ''
  return table
    .split('\n')
    .slice(2)
    .map((line) => /^\| `?([^`|]+?)`? \|/.exec(line)?.[1] ?? '')
    .filter((name) => name !== '')
}

/** The interfaces whose members a table lists, by the page and the heading above the table. */
export const OPTION_TABLES: readonly (readonly [
  page: string,
  heading: string,
  interfaces: readonly string[],
])[] = [
  ['config', '### authNext', ['AuthNext']],
  ['config', '### jwtAuth', ['JwtSettings', 'JwtSecretOptions', 'JwtPublicKeyOptions', 'JwtKeySetOptions']],
  ['config', '### verifyOptions', ['SecretVerifyOptions', 'JwtClaimOptions']],
  ['config', '### Auth provider', ['AuthProvider']],
  ['config', '## createAgent', ['AgentConfig', 'GenerationSettings', 'LoopOptions']],
  ['config', '### hooks', ['AgentHooks']],
  ['config', '## createTool', ['ToolConfig']],
  ['config', '### Tool context', ['ToolContext']],
  ['config', '## createSchedule', ['CommonScheduleConfig', 'ScheduleTimes']],
  ['config', '## createMcpServer', ['McpServerConfig']],
  ['config', '### Resource', ['McpResource']],
  ['config', '### Prompt', ['McpPrompt']],
  ['config', '## connectMcpServer', ['HttpServerConfig', 'StdioServerConfig', 'AnsweredRequests']],
  ['steps', '## createWorkflow', ['WorkflowConfig', 'WorkflowLimits', 'EventTriggers', 'WorkflowHooks']],
  ['steps', '### Options of every kind', ['StepOptions']],
  ['steps', '### andThen', ['TaskOptions', 'AndThenConfig']],
  ['steps', '### andWhen', ['AndWhenConfig']],
  ['steps', '### andBranch', ['AndBranchConfig']],
  ['steps', '### andTry', ['AndTryConfig']],
  ['steps', '### andAll', ['AndAllConfig']],
  ['steps', '### andRace', ['AndRaceConfig']],
  ['steps', '### andForEach', ['EachOptions', 'AndForEachConfig']],
  ['steps', '### andDoWhile', ['LoopConfig']],
  ['steps', '### andSleep', ['AndSleepConfig']],
  ['steps', '### andSleepUntil', ['AndSleepUntilConfig']],
  ['steps', '### andWaitForEvent', ['AndWaitForEventConfig']],
  ['steps', '### andTap', ['AndTapConfig']],
  ['steps', '### andAgent', ['AndAgentConfig']],
  ['steps', '### andWorkflow', ['AndWorkflowConfig']],
  ['steps', '## Step context', ['StepContext', 'CallContext']],
  ['steps', '## Retries', ['RetryPolicy']],
  ['client', '## createClient', ['ClientOptions']],
]
