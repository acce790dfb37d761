import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { shortPaths, userPlace } from '../../../../src/lib/files/short-paths.ts'

const own = fileURLToPath(new URL('../../../../src/engine/run.ts', import.meta.url))
const shorten = shortPaths('/home/ada/shop')

describe.skipIf(path.sep !== '/')('paths in recorded errors', () => {
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

describe('paths in recorded errors on Windows', () => {
  const shorten = shortPaths(String.raw`C:\Users\Ada Byron\shop`, path.win32)

  it('are relative to the project, in paths and in the URLs of ES modules', () => {
    expect(shorten(String.raw`Cannot read C:\Users\Ada Byron\shop\data\a.json`)).toBe(
      String.raw`Cannot read data\a.json`,
    )
    expect(shorten('at f (file:///C:/Users/Ada%20Byron/shop/src/a.js:1:2)')).toBe(
      String.raw`at f (src\a.js:1:2)`,
    )
    expect(shorten('at f (file:///D:/x/node_modules/left-pad/index.js:1:2)')).toBe(
      String.raw`at f (node_modules\left-pad\index.js:1:2)`,
    )
  })

  it('stay as they are for a URL that is no path', () => {
    expect(shorten('See file:///nowhere and https://x.dev/a')).toBe('See file:///nowhere and https://x.dev/a')
  })
})

it('the place of user code is found behind frames of this package, in paths with blanks', () => {
  const file = path.resolve('/home/ada byron/shop/a.js')
  const stack = [
    'Error',
    `    at createStep (${pathToFileURL(own).href}:10:5)`,
    `    at ${pathToFileURL(file).href}:3:9`,
  ]
  expect(userPlace(stack.join('\n'))).toEqual({ file, line: 3, column: 9 })
})
