import type { Waits } from '../answer/waiting/pending-calls.ts'
import { validateInput } from './call-tool.ts'
import type { Tool, ToolContext } from './tool.ts'

interface DecisionDeps {
  readonly context: ToolContext
  readonly waits: Waits
  /** The ids of the calls that are made now, because they were approved. Each counts once. */
  readonly approved: Set<string>
  /** Whether a call was made before, and has its outcome. */
  readonly isRecorded: (toolCallId: string) => boolean
}

/** Whether the calls of a tool need approval. The tool decides once per call. */
export class ApprovalDecisions {
  readonly #tool: Tool
  readonly #deps: DecisionDeps
  readonly #needed = new Map<string, boolean>()

  constructor(tool: Tool, deps: DecisionDeps) {
    this.#tool = tool
    this.#deps = deps
  }

  /** Whether the answer waits before the call. */
  async requestsApproval(toolCallId: string, input: unknown): Promise<boolean> {
    const { waits, approved, isRecorded } = this.#deps
    // the AI SDK executes an approved call only if it still needs approval
    if (approved.has(toolCallId)) return true
    if (!waits.approvals || isRecorded(toolCallId)) return false
    try {
      const needed = await this.#isNeeded(await validateInput(this.#tool, input))
      this.#needed.set(toolCallId, needed)
      return needed
    } catch {
      // thrown again when the call is made, as its error
      return false
    }
  }

  /** Whether the call must not be made, because it needs an approval that it does not have. */
  async mustWait(toolCallId: string, validInput: unknown): Promise<boolean> {
    if (this.#deps.approved.delete(toolCallId)) return false
    const needed = this.#needed.get(toolCallId) ?? (await this.#isNeeded(validInput))
    this.#needed.delete(toolCallId)
    return needed
  }

  async #isNeeded(validInput: unknown): Promise<boolean> {
    return this.#tool.needsApproval(validInput, this.#deps.context)
  }
}
