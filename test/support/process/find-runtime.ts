import { spawnSync } from 'node:child_process'

/** How a program prints the path of the runtime: what npm installs under its name may be a script that starts it. */
const PATHS = {
  bun: { ask: ['-e', 'console.log(process.execPath)'], run: ['--no-env-file'] },
  deno: { ask: ['eval', 'console.log(Deno.execPath())'], run: ['run', '--allow-all'] },
}

/** The command that runs a script on Node, Bun or Deno, with its arguments; `undefined` where it is not installed. */
export function findRuntime(name: 'node' | keyof typeof PATHS): readonly string[] | undefined {
  if (name === 'node') return [process.execPath]
  const { ask, run } = PATHS[name]
  const { status, stdout } = spawnSync(name, ask, { encoding: 'utf8' })
  return status === 0 ? [stdout.trim(), ...run] : undefined
}
