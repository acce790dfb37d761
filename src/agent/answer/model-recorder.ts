import type * as Ai from 'ai'
import type { LoadedModel } from '../models/load-model.ts'
import type { AgentModels } from '../model-object.ts'
import type { ModelChoice } from '../models/model-choice.ts'

/** The run whose model is called. */
export interface ModelCaller {
  readonly agentId: string
  /** The trace of the run. */
  readonly traceId: string
}

/** Records what models answer, or answers in their place. */
export interface ModelRecorder {
  /** The recorder for the calls of one run; `undefined` when they are not recorded. */
  of(caller: ModelCaller): AnswerRecorder | undefined
  /**
   * A `traceparent` (W3C Trace Context) for an execution that code in a recorded trace starts: its calls are recorded, too.
   * `undefined` when the trace is not recorded.
   */
  newTrace(startedBy: string | undefined): string | undefined
  /** The model that an agent has instead of its own. Default: its own. */
  modelOf?(agentId: string): AgentModels | undefined
}

/** Records what the models of a run answer, or answers in their place. */
export interface AnswerRecorder {
  /** Whether recorded answers are returned. The models are not called then, and need no keys. */
  readonly replays: boolean
  /** The model whose answers are replayed, for an agent without a model where the environment has none either. */
  readonly recordedModel: ModelChoice | undefined
  /** Wraps a model of the run. */
  wrap(
    loaded: LoadedModel,
    tools: { readonly ai: typeof Ai; readonly redact: (text: string) => string },
  ): LoadedModel
}
