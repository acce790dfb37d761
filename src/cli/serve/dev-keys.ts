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
  readonly does: string
  readonly run: () => void
}

/** The whole screen, what was scrolled away, and back to the first line. */
const CLEAR = '\x1B[2J\x1B[3J\x1B[H'

/** Lets keys of the terminal drive `dev`, where there is a terminal. */
export async function listenToDevKeys(options: DevKeysOptions): Promise<void> {
  const { terminal, lifetime } = options.call
  if (terminal.json || !process.stdin.isTTY || !process.stdout.isTTY) return
  const bindings = bindingsOf(options)
  const onKey = ({ sequence }: Keypress) => bindings.find(({ keys }) => keys.includes(sequence))?.run()
  const stop = await readKeys(process.stdin, {
    onKey,
    onReading: () => terminal.note(`  ${terminal.notePaint.dim('press h for the keys')}\n`),
    onInterrupt: () => lifetime.signalled(),
  })
  lifetime.defer(stop)
}

function bindingsOf({ call: { terminal, lifetime }, reloadAll, openPage }: DevKeysOptions): KeyBinding[] {
  const bindings: KeyBinding[] = [
    { keys: ['r'], does: 'run every file of the project again', run: reloadAll },
    { keys: ['o'], does: 'open the console in the browser', run: openPage },
    { keys: ['c'], does: 'clear the screen', run: () => process.stdout.write(CLEAR) },
    { keys: ['q'], does: 'quit', run: () => lifetime.interrupt(EXIT.done) },
    { keys: ['h', '?'], does: 'show the keys', run: () => terminal.note(helpOf(bindings)) },
  ]
  return bindings
}

function helpOf(bindings: readonly KeyBinding[]): string {
  return bindings.map(({ keys, does }) => `  ${keys.join(', ').padEnd(5)} ${does}`).join('\n')
}
