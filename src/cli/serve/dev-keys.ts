import { ReadStream } from 'node:tty'
import { EXIT } from '../exit-code.ts'
import type { CommandCall } from '../command.ts'
import { readKeys } from './keyboard.ts'
import type { Keypress } from './keyboard.ts'

export interface DevKeysOptions {
  readonly call: CommandCall
  readonly reloadAll: () => void
  readonly openPage: () => void
}

interface KeyBinding {
  readonly keys: readonly string[]
  readonly action: string
  readonly run: () => void
}

/** Clears the screen and the scrollback buffer, and moves the cursor to the top. */
const CLEAR = '\x1B[2J\x1B[3J\x1B[H'

/** Handles the keyboard shortcuts of `dev` if it runs in a terminal. */
export async function listenToDevKeys(options: DevKeysOptions): Promise<void> {
  const { terminal, lifetime } = options.call
  const { stdin, stdout } = terminal
  if (terminal.json || !(stdin instanceof ReadStream) || !stdout.isTTY) return
  const bindings = bindingsOf(options)
  const onKey = ({ sequence }: Keypress) => bindings.find(({ keys }) => keys.includes(sequence))?.run()
  const stop = await readKeys(stdin, {
    onKey,
    onReading: () => terminal.note(`  ${terminal.notePaint.dim('press h for keyboard shortcuts')}\n`),
    onInterrupt: () => lifetime.onSignal(),
  })
  lifetime.defer(stop)
}

function bindingsOf({ call: { terminal, lifetime }, reloadAll, openPage }: DevKeysOptions): KeyBinding[] {
  const bindings: KeyBinding[] = [
    { keys: ['r'], action: 'reload all files of the project', run: reloadAll },
    { keys: ['o'], action: 'open the console in the browser', run: openPage },
    { keys: ['c'], action: 'clear the screen', run: () => terminal.write(CLEAR) },
    { keys: ['q'], action: 'quit', run: () => lifetime.interrupt(EXIT.done) },
    { keys: ['h', '?'], action: 'show keyboard shortcuts', run: () => terminal.note(helpOf(bindings)) },
  ]
  return bindings
}

function helpOf(bindings: readonly KeyBinding[]): string {
  return bindings.map(({ keys, action }) => `  ${keys.join(', ').padEnd(5)} ${action}`).join('\n')
}
