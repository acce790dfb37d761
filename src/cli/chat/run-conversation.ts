import { createInterface } from 'node:readline'
import type { AgentStreamPart } from '../../contract/agent-event.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { printError } from '../print/print-error.ts'
import type { Terminal } from '../print/terminal.ts'
import { printResponse } from './print-response.ts'

/** Sends a message to the agent and streams its response until the signal aborts. */
export type SendMessage = (input: string, signal: AbortSignal) => AsyncIterable<AgentStreamPart>

const DOUBLE_PRESS_MS = 2000

/**
 * Runs a conversation in the terminal. Each line is a message. Ctrl-C stops the current response; Ctrl-C twice or
 * Ctrl-D exits.
 */
export async function runConversation(send: SendMessage, terminal: Terminal): Promise<ExitCode> {
  const { notePaint: paint } = terminal
  const lines = createInterface({
    input: process.stdin,
    output: process.stderr,
    terminal: true,
    prompt: paint.bold('› '),
  })
  let current: AbortController | undefined
  let interruptedAt = Number.NEGATIVE_INFINITY
  let exitCode: ExitCode = EXIT.done
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
  lines.prompt()
  for await (const line of lines) {
    if (line.trim() !== '') {
      current = new AbortController()
      await printUntilAborted(send(line, current.signal), { terminal, signal: current.signal })
      current = undefined
    }
    lines.prompt()
  }
  terminal.note('')
  return exitCode
}

/** Prints a response. An error is printed and does not end the conversation. */
async function printUntilAborted(
  parts: AsyncIterable<AgentStreamPart>,
  { terminal, signal }: { terminal: Terminal; signal: AbortSignal },
): Promise<void> {
  try {
    await printResponse(parts, terminal)
  } catch (error) {
    if (signal.aborted) terminal.note('\n(stopped)')
    else printError(error, terminal)
  }
}
