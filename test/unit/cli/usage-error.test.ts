import { expect, it } from 'vitest'
import { usageMessage } from '../../../src/cli/usage-error.ts'

const names = { commands: ['run-workflow', 'run-tool', 'dev'], flags: ['--input', '--json'] }

it.each([
  ["error: unknown command 'run-worklow'", 'unknown command "run-worklow". Did you mean "run-workflow"?'],
  ["error: unknown option '--inptu=1'", 'unknown option "--inptu=1". Did you mean "--input"?'],
  [
    "error: option '--level <level>' argument 'wran' is invalid. Allowed choices are debug, info, warn.",
    'option "--level <level>" argument "wran" is invalid. Allowed choices are debug, info, warn. Did you mean "warn"?',
  ],
  [
    "error: too many arguments for 'state'. Expected 1 argument but got 2.",
    'too many arguments for "state". Expected 1 argument but got 2.',
  ],
  ["error: missing required argument 'id'", 'missing required argument "id"'],
])('the usage error %s reads %s', (text, message) => {
  expect(usageMessage(text, names)).toBe(message)
})
