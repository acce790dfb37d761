import { expect, test } from 'vitest'
import { commandFailed } from '../../../src/updates/run-command.ts'

test('the error of a failed command names its code, and its logged output has no credentials', () => {
  const output = [
    'npm error code ERESOLVE',
    'GET https://user:hunter2@registry.example/x',
    '//registry.example/:_authToken=hunter2',
    'authorization: Bearer hunter2',
  ].join('\n')
  const error = commandFailed('npm failed to install the updates', { exitCode: 1, stdout: '', output })
  expect(error.message).toBe('npm failed to install the updates (ERESOLVE)')
  expect((error.cause as Error).message).toContain('registry.example')
  expect((error.cause as Error).message).not.toContain('hunter2')
})
