import { createInterface } from 'node:readline'
import type { AgentStreamPart } from '../../contract/agent-event.ts'
import { EXIT } from '../exit-code.ts'
import type { ExitCode } from '../exit-code.ts'
import { printError } from '../print/print-error.ts'
import type { Terminal } from '../print/terminal.ts'
import { ApiError } from '../../client/api-error.ts'
import { decideApprovals } from './decide-approvals.ts'
import type { CallDecision } from './decide-approvals.ts'
import { printResponse } from './print-response.ts'
import type { WaitingRun } from './print-response.ts'

/** The requests of a conversation. Responses are streamed until the signal aborts. */
export interface ChatRequests {
  readonly agentId: string
  readonly send: (input: string, signal: AbortSignal) => AsyncIterable<AgentStreamPart>
  /** Continues a run with decisions about its calls. */
  readonly decide: (
    run: WaitingRun,
    decisions: readonly CallDecision[],
    signal: AbortSignal,
  ) => AsyncIterable<AgentStreamPart>
}

const DOUBLE_PRESS_MS = 2000

/**
 * Runs a conversation in the terminal. Each line is a message. Ctrl-C stops the current response; Ctrl-C twice or
 * Ctrl-D exits.
 */
export async function runConversation(conversation: ChatRequests, terminal: Terminal): Promise<ExitCode> {
  const { notePaint: paint } = terminal
  const lines = createInterface({
    input: terminal.stdin,
    output: terminal.stderr,
    terminal: true,
    prompt: paint.bold('› '),
  })
  let current: AbortController | undefined
  let interruptedAt = Number.NEGATIVE_INFINITY
  let exitCode: ExitCode = EXIT.done
  // Node 24 throws at a prompt after the end
  let isOpen = true
  lines.once('close', () => {
    isOpen = false
  })
  lines.on('SIGINT', () => {
    const now = performance.now()
    if (now - interruptedAt < DOUBLE_PRESS_MS) {
      exitCode = EXIT.interrupted
      lines.close()
    } else if (!current) {
      terminal.note(paint.dim('\nPress Ctrl-C again or Ctrl-D to exit.'))
      lines.prompt()
    }
    interruptedAt = now
    current?.abort()
  })
  const ask = (question: string, signal: AbortSignal) =>
    new Promise<string | undefined>((resolve) => {
      const leave = () => resolve(undefined)
      lines.once('close', leave)
      signal.addEventListener('abort', leave, { once: true })
      if (signal.aborted || !isOpen) return leave()
      lines.question(`${question} `, { signal }, (answer) => {
        lines.off('close', leave)
        signal.removeEventListener('abort', leave)
        resolve(answer)
      })
    })
  lines.prompt()
  for await (const line of lines) {
    if (line.trim() !== '') {
      current = new AbortController()
      const { signal } = current
      let waiting = await printUntilAborted(conversation.send(line, signal), { terminal, signal })
      while (waiting && !signal.aborted) {
        const asking = { ask: (question: string) => ask(question, signal), terminal }
        const decisions = await decideApprovals(waiting, conversation.agentId, asking)
        if (!decisions) break
        const answer = conversation.decide(waiting, decisions, signal)
        waiting = await printUntilAborted(answer, { terminal, signal, waiting })
      }
      current = undefined
    }
    if (isOpen) lines.prompt()
  }
  terminal.note('')
  return exitCode
}

interface Printing {
  readonly terminal: Terminal
  readonly signal: AbortSignal
  /** What the decisions were about. */
  readonly waiting?: WaitingRun
}

/**
 * Prints a response. An error is printed and does not end the conversation; decisions that were refused can be made
 * again. Returns what the response waits for.
 */
async function printUntilAborted(
  parts: AsyncIterable<AgentStreamPart>,
  { terminal, signal, waiting }: Printing,
): Promise<WaitingRun | undefined> {
  try {
    return (await printResponse(parts, terminal)).waiting
  } catch (error) {
    if (signal.aborted) terminal.note('\n(stopped)')
    else printError(error, terminal)
    return error instanceof ApiError && error.status === 400 ? waiting : undefined
  }
}
