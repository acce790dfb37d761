import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { shortPaths } from '../../../../src/lib/files/short-paths.ts'

const own = fileURLToPath(new URL('../../../../src/engine/run.ts', import.meta.url))
const shorten = shortPaths('/home/ada/shop')

describe('paths in recorded errors', () => {
  it('are relative to the project, or to node_modules', () => {
    expect(shorten('Cannot read /home/ada/shop/data/a.json')).toBe('Cannot read data/a.json')
    expect(shorten('at f (file:///srv/node_modules/left-pad/index.js:1:2)')).toBe(
      'at f (node_modules/left-pad/index.js:1:2)',
    )
  })

  it('omit the stack frames between user code and its caller', () => {
    const stack = [
      'Error: no',
      '    at charge (/home/ada/shop/src/charge.ts:3:9)',
      '    at ActiveContext.with (/opt/node_modules/@opentelemetry/context-async-hooks/build/src/x.js:45:40)',
      `    at run (${own}:10:5)`,
      '    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)',
    ]
    expect(shorten(stack.join('\n'))).toBe('Error: no\n    at charge (src/charge.ts:3:9)')
  })

  it('keep all stack frames when none is of user code', () => {
    const stack = `Error: no\n    at run (${own}:10:5)`
    expect(shorten(stack)).toBe('Error: no\n    at run (agentserver/engine/run.ts:10:5)')
  })
})
