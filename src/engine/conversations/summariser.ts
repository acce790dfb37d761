import type { Logger } from 'pino'
import type { Agent } from '../../agent/agent.ts'
import type { ResolvedAgent } from '../../agent/resolve-agent.ts'
import type { Generated } from '../../agent/answer/generated.ts'
import {
  MAX_SUMMARY_CHARACTERS,
  summaryAgent,
  summaryPrompt,
} from '../../agent/conversation/summary-agent.ts'
import type { Clock } from '../../lib/clock.ts'
import type {
  ConversationKey,
  ConversationStore,
  SummaryState,
} from '../../store/agents/conversation-store.ts'
import { decodeStored } from '../record/values.ts'
import { continuedSummary, readSummary } from './stored-summary.ts'

/** A process that has not made a summary by then has died. */
const CLAIM_MS = 5 * 60_000

/** The messages to summarise: those after the number `after`, up to `upTo`. */
interface Span {
  readonly state: SummaryState
  readonly after: number
  readonly upTo: number
}

interface SummariserDeps {
  readonly store: { readonly conversations: ConversationStore }
  readonly clock: Clock
  readonly logger: Logger
  /** Asks an agent on behalf of the server. */
  readonly ask: (agent: Agent, prompt: string, question: SummaryQuestion) => Promise<Generated>
}

export interface SummaryQuestion {
  readonly key: ConversationKey
  /** The run whose answer made the summary necessary. */
  readonly runId: string
  readonly traceId: string
  readonly signal: AbortSignal
}

/** Where a conversation was extended. */
export interface Extended extends Omit<SummaryQuestion, 'signal'> {
  readonly agent: ResolvedAgent
  /** The number of messages that the model receives beside the summary. */
  readonly lastMessages: number
}

/** Summarises the older messages of conversations in the background. */
export class Summariser {
  readonly #deps: SummariserDeps
  readonly #stop = new AbortController()
  /** The conversations that are being summarised here. */
  readonly #busy = new Map<string, Promise<void>>()

  constructor(deps: SummariserDeps) {
    this.#deps = deps
  }

  /** Summarises the messages that the model no longer receives, if there are enough of them. */
  onExtended(extended: Extended): void {
    const id = JSON.stringify(extended.key)
    if (this.#busy.has(id) || this.#stop.signal.aborted) return
    const work = this.#summarise(extended)
      .catch((err: unknown) => {
        const { agent, runId } = extended
        if (this.#stop.signal.aborted) return
        const message = 'A conversation could not be summarised; its next answer tries again'
        this.#deps.logger.warn({ err, agentId: agent.id, runId }, message)
      })
      .finally(() => this.#busy.delete(id))
    this.#busy.set(id, work)
  }

  /** Aborts the summaries in progress: the next answers in their conversations make them again. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#busy.values())
  }

  /**
   * A summary covers all but the newest half of the messages that the model receives, so that it is made once for as many
   * messages, and the older ones are always covered.
   */
  async #summarise(extended: Extended): Promise<void> {
    const { agent, key, lastMessages } = extended
    const { conversations } = this.#deps.store
    const state = await conversations.summary(key)
    if (!state) return
    const after = Math.max(state.summarised, state.first - 1)
    if (state.last - after <= lastMessages) return
    const upTo = state.last - Math.floor(lastMessages / 2)
    const now = this.#deps.clock.now()
    const claim = { from: state.summarised, now, until: now + agent.timeoutMs + CLAIM_MS }
    // another machine makes it
    if (!(await conversations.claimSummary(key, claim))) return
    try {
      await this.#make(extended, { state, after, upTo })
    } catch (error) {
      // the next answer tries again
      await conversations.claimSummary(key, { ...claim, now: claim.until, until: 0 })
      throw error
    }
  }

  async #make({ agent, key, runId, traceId }: Extended, { state, after, upTo }: Span): Promise<void> {
    const { conversations } = this.#deps.store
    const rows = await conversations.range(key, { after, upTo })
    const texts = rows.map(({ message }) => message)
    const earlier = readSummary(state.summary)
    const prompt = summaryPrompt(
      texts.map((text) => decodeStored(text, undefined)),
      earlier?.text,
    )
    const question = { key, runId, traceId, signal: this.#stop.signal }
    const { text, finishReason } = await this.#deps.ask(summaryAgent(agent), prompt, question)
    // of messages whose summary is blocked nothing is remembered; another attempt would be blocked as well
    const kept = finishReason === 'guardrail' ? (earlier?.text ?? '') : text
    const summary = continuedSummary(earlier, texts, kept.slice(0, MAX_SUMMARY_CHARACTERS))
    const change = { summary: JSON.stringify(summary), from: state.summarised, upTo }
    // false: another machine was faster, or the messages were replaced or deleted
    await conversations.summarise(key, change)
  }
}
