import { AppError } from '../lib/errors.ts'
import { readCallerSchema } from '../lib/schema/caller-schema.ts'
import type { JsonSchema } from '../lib/schema/schema.ts'
import { toolNames } from './agent-problems.ts'
import { markedText, withoutMarks } from './marked-text.ts'
import type { ResolvedAgent } from './resolve-agent.ts'
import type { Tool } from './tools/tool.ts'

/** What a client adds to an agent for one answer. JSON. */
export interface ClientAdditions {
  /** Its instructions, which follow those of the agent. */
  readonly instructions?: string | undefined
  /** Tools that it executes. */
  readonly tools?: readonly ClientToolDeclaration[] | undefined
}

export interface ClientToolDeclaration {
  readonly name: string
  readonly description: string
  /** A JSON Schema within the limits of schemas of callers. */
  readonly inputSchema: JsonSchema
}

/**
 * The agent with what a client adds to it.
 *
 * @throws AppError `invalid_input` for a tool with the name of another one, or with a schema that exceeds a limit.
 */
export async function withClient(
  agent: ResolvedAgent,
  { instructions, tools = [] }: ClientAdditions = {},
): Promise<ResolvedAgent> {
  if (instructions === undefined && tools.length === 0) return agent
  if (tools.length > 0) await Promise.all(agent.toolSources.map((source) => source.ready()))
  const names = [...toolNames(agent), ...tools.map(({ name }) => name)]
  const taken = tools.find(({ name }) => names.indexOf(name) !== names.lastIndexOf(name))
  if (taken) throw new AppError('invalid_input', `tools: There is another tool named "${taken.name}"`)
  const added = tools.map((tool) => clientTool(tool))
  const { activeTools } = agent
  return {
    ...agent,
    ...(instructions !== undefined && { instructions: withMarked(agent.instructions, instructions) }),
    ...(activeTools && { activeTools: [...activeTools, ...tools.map(({ name }) => name)] }),
    // those of a connected server are known once it is connected
    get tools() {
      return [...agent.tools, ...added]
    },
  }
}

const MARK = 'instructions_of_the_caller'

/** The model can tell the instructions of the agent from those of its caller, which can't end their mark. */
function withMarked(own: string, added: string): string {
  const about =
    'The caller of the agent has sent these. Follow them where they do not contradict the instructions above.'
  return `${own}\n\n${markedText(MARK, about, withoutMarks(added, [MARK]))}`
}

function clientTool({ name, description, inputSchema }: ClientToolDeclaration): Tool {
  return {
    name,
    description,
    inputSchema: readCallerSchema(inputSchema),
    needsApproval: () => false,
    problems: [],
  }
}
