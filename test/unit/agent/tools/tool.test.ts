import { describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { createTool } from '../../../../src/agent/tools/create-tool.ts'

const weather = createTool({
  name: 'getWeather',
  description: 'Current weather of a city',
  inputSchema: z.object({ city: z.string(), days: z.number().default(1) }),
  outputSchema: z.object({ celsius: z.number() }),
  execute: ({ city, days }) => {
    expectTypeOf(city).toEqualTypeOf<string>()
    expectTypeOf(days).toEqualTypeOf<number>()
    return { celsius: city.length + days }
  },
})

describe('createTool', () => {
  test('returns an immutable value', () => {
    expect(() => Object.assign(weather, { name: 'other' })).toThrow(TypeError)
    expect(weather.problems).toEqual([])
  })

  test('infers the types of input and result from the schemas', () => {
    createTool({
      name: 'x',
      description: 'x',
      inputSchema: z.object({ n: z.number() }),
      outputSchema: z.object({ text: z.string() }),
      // @ts-expect-error -- the output schema requires a string
      execute: ({ n }) => ({ text: n }),
    })
    const free = createTool({
      name: 'y',
      description: 'y',
      inputSchema: z.object({}),
      execute: async () => 5,
    })
    expectTypeOf<ReturnType<typeof free.execute>>().toEqualTypeOf<number | Promise<number>>()
  })

  test('reports every problem of the declaration', () => {
    const tool = createTool({
      name: 'get weather',
      description: ' ',
      inputSchema: { city: z.string() },
      // @ts-expect-error -- not a function
      execute: 'fetchWeather',
    })
    expect(tool.problems).toEqual([
      expect.stringContaining('the name must be a letter'),
      expect.stringContaining('a description is required'),
      expect.stringContaining('inputSchema must be'),
      'execute must be a function',
    ])
  })

  test.each([
    [{ needsApproval: { by: 'others' } }, []],
    [{ needsApproval: { by: 'asker', when: () => true }, callable: true }, []],
    [{ needsApproval: 'yes' }, ['needsApproval must be true, false, a function or { by, when }']],
    [{ needsApproval: {} }, [`needsApproval.by must be 'asker', 'others' or 'operators'`]],
    [{ needsApproval: { by: 'users' } }, [`needsApproval.by must be 'asker', 'others' or 'operators'`]],
    [
      { needsApproval: { by: 'others', when: 1, if: true } },
      [
        'needsApproval.when must be true, false or a function',
        'needsApproval has no option "if": it takes by and when',
      ],
    ],
    [{ callable: 'no' }, ['callable must be true or false']],
    [
      { execute: undefined, callable: true, needsApproval: { by: 'others' } },
      [
        'callable requires execute: a client executes the calls of this tool',
        'needsApproval requires execute: a client asks its user itself',
      ],
    ],
  ])('reports the problems of who may call it and approve its calls: %j', (options, problems) => {
    const declared = { name: 'x', description: 'x', inputSchema: z.object({}), execute: () => 1, ...options }
    expect(createTool(declared as never).problems).toEqual(problems)
  })
})
