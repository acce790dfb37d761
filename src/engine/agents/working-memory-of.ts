import type { Agent } from '../../agent/agent.ts'
import { workingMemoryTool } from '../../agent/conversation/working-memory-tool.ts'
import type { ResolvedAgent } from '../../agent/resolve-agent.ts'
import type { User } from '../../contract/auth.ts'
import type { Schema } from '../../lib/schema/schema.ts'
import type { WorkingMemoryKey } from '../../store/agents/working-memory-store.ts'
import { workingMemorySchema } from '../conversations/working-memories.ts'
import type { WorkingMemories } from '../conversations/working-memories.ts'

export interface WorkingMemoryDeps {
  readonly memories: WorkingMemories
  /** Whether there is an auth provider: without one, everybody is who they claim to be. */
  readonly hasUsers: () => boolean
}

/** Who a run answers. */
interface Answered {
  readonly user?: User | undefined
  readonly userId: string | null
  /** The agent is asked by another one. */
  readonly withoutMemory?: boolean
}

interface UsedMemory {
  readonly key: WorkingMemoryKey
  readonly schema: Schema
}

/** The working memory that an answer uses; `undefined` for strangers, who would share one. */
export function workingMemoryOf(
  agent: Pick<Agent, 'id' | 'memory'>,
  { user, userId, withoutMemory }: Answered,
  hasUsers: boolean,
): UsedMemory | undefined {
  const schema = workingMemorySchema(agent)
  const isStranger = userId === null && (hasUsers || user !== undefined)
  if (schema === undefined || withoutMemory === true || isStranger) return undefined
  const isClaimed = hasUsers && !user && userId !== null
  return { key: { agentId: agent.id, userId: isClaimed ? [userId] : userId }, schema }
}

/** The agent with the tool for its working memory, if it has one. */
export function withMemoryTool(
  agent: ResolvedAgent,
  answered: Answered,
  { memories, hasUsers }: WorkingMemoryDeps,
): ResolvedAgent {
  const memory = workingMemoryOf(agent, answered, hasUsers())
  if (!memory) return agent
  const { key, schema } = memory
  const tool = workingMemoryTool(schema, (change) => memories.update(key, schema, change))
  return {
    ...agent,
    // those of a connected server are known once it is connected
    get tools() {
      return [...agent.tools, tool]
    },
  }
}
