import { describe, expect, test } from 'vitest'
import { createTool, createWorkflow } from '../../../src/index.ts'
import { resolveConfig } from '../../../src/config/config.ts'
import { LoadError } from '../../../src/config/loader/errors/load-error.ts'

function failureOf(value: unknown, source?: string): LoadError {
  try {
    resolveConfig(value, 'agentserver.config.ts', { source })
  } catch (error) {
    if (error instanceof LoadError) return error
    throw error
  }
  throw new Error('The configuration is valid')
}

/** The position of the error: `line:column` and the text that follows. */
function pointsAt(value: unknown, source: string): string {
  const { line, column } = failureOf(value, source)
  return `${line}:${column} ${source.split('\n')[(line ?? 1) - 1]?.slice((column ?? 1) - 1) ?? ''}`
}

describe('the error for an invalid configuration', () => {
  test('contains the path of each problem and the expected value', () => {
    expect(failureOf({ port: '80', limits: { bodyBytes: 0, bodyByte: 1 } }).message).toBe(
      [
        'Invalid configuration: ',
        '  - port: Invalid input: expected number, received string',
        '  - limits.bodyBytes: Too small: expected number to be >0',
        '  - unknown option "limits.bodyByte". Did you mean "limits.bodyBytes"?',
      ].join('\n'),
    )
  })

  test('points to the option, with a code frame', () => {
    const failure = failureOf({ port: -1 }, `\nexport default defineConfig({\n  port: -1,\n})\n`)
    expect(failure.toJSON()).toMatchObject({
      file: 'agentserver.config.ts',
      line: 3,
      column: 3,
      frame: '  1 |\n  2 | export default defineConfig({\n> 3 |   port: -1,\n    |   ^\n  4 | })\n  5 |',
    })
  })

  test.each([
    ['a nested option', `export default { limits: {\n bodyBytes: 0 } }`, '2:2 bodyBytes: 0 } }'],
    ['the enclosing option', `const limits = {}\nexport default { limits }`, '2:18 limits }'],
    [
      'the option instead of a comment',
      `export default { // limits: {\n /* limits: */ limits: rest }`,
      '2:16 limits: rest }',
    ],
    ['a quoted name', `export default {\n 'limits': rest }`, `2:3 limits': rest }`],
    [
      'the option instead of a string',
      `const url = 'http://limits:80'\nexport default { limits }`,
      '2:18 limits }',
    ],
    [
      'the declaration instead of the import',
      `import { limits } from './a'\ndefineConfig({ limits })`,
      '2:16 limits })',
    ],
  ])('points to %s', (_, source, place) => {
    expect(pointsAt({ limits: { bodyBytes: 0 } }, source)).toBe(place)
  })

  test('has no position if the option is not in the file', () => {
    const { file, line, frame } = failureOf({ port: -1 }, `export { default } from './other.ts'`)
    expect({ file, line, frame }).toEqual({ file: 'agentserver.config.ts', line: null, frame: null })
  })

  test('reports duplicate ids and names', () => {
    const workflow = () => createWorkflow({ id: 'twin' })
    const tool = () =>
      createTool({ name: 'look', description: 'Looks', inputSchema: { type: 'object' }, execute: () => 1 })
    const source = `export default {\n  workflows: [a, b],\n  tools: [c, d],\n}`
    expect(failureOf({ workflows: [workflow(), workflow()] }).message).toContain(
      'workflow id "twin" is used 2 times',
    )
    expect(failureOf({ tools: [tool(), tool()] }).message).toContain('tool name "look" is used 2 times')
    expect(pointsAt({ tools: [tool(), tool()] }, source)).toBe('3:3 tools: [c, d],')
  })

  test('reports values that are no agents or tools', () => {
    expect(failureOf({ agents: [null], tools: [{}, undefined] }).message).toBe(
      [
        'Invalid configuration: ',
        '  - agents[0]: must be made by createAgent()',
        '  - tools[0]: must be made by createTool()',
        '  - tools[1]: must be made by createTool()',
      ].join('\n'),
    )
  })
})
