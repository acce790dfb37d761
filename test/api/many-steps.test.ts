import { createWorkflow } from 'agentserver'
import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { ExecutionDetail } from '../../src/contract/endpoints/execution.ts'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const CALLS = 250
const count = createWorkflow({
  id: 'count',
  inputSchema: z.object({ calls: z.int() }),
  run: async ({ input, step }) => {
    let sum = 0
    for (let call = 0; call < input.calls; call++) sum += await step.run(`call-${call}`, () => call)
    const { by } = await step.suspend('sign', { resumeSchema: z.object({ by: z.string() }) })
    return { sum, by }
  },
})

describe('the record of an execution with many steps', () => {
  const server = new TestServer({ workflows: [count] })
  const path = '/workflows/count/executions/e'
  const read = (query = '') => dataOf<ExecutionDetail>(server.request(`${path}${query}`))
  afterAll(() => server.close())

  it('has all steps and events without a query', async () => {
    await server.execute('count', { calls: CALLS }, { executionId: 'e' })
    const { steps, stepsCount, events, omitted } = await read()
    expect(steps).toHaveLength(CALLS + 1)
    expect(events.length).toBeGreaterThan(2 * CALLS)
    expect({ stepsCount, omitted }).toEqual({ stepsCount: undefined, omitted: undefined })
  })

  it('is read in pages of steps, in the order of their start', async () => {
    const whole = await read()
    const [first, last] = [await read('?steps=100'), await read('?steps=200&stepsOffset=100')]
    expect([...first.steps, ...last.steps]).toEqual(whole.steps)
    expect([first.stepsCount, last.stepsCount]).toEqual([CALLS + 1, CALLS + 1])
    expect((await read('?steps=5&stepsOffset=1000')).steps).toEqual([])
    // either asks for a page
    expect((await read('?stepsOffset=249')).steps).toEqual(whole.steps.slice(249))
    const observed = await dataOf<ExecutionDetail>(
      server.request('/observability/executions/e?steps=1&stepsOffset=7'),
    )
    expect(observed.steps.map(({ stepId, output }) => [stepId, output])).toEqual([['call-7', 7]])
  })

  it('has the rest of the record with each page, and says that events are left out', async () => {
    const [whole, page] = [await read(), await read('?steps=0')]
    const { events } = page
    expect(page).toEqual({ ...whole, steps: [], stepsCount: CALLS + 1, events, omitted: ['events'] })
    expect(events.map(({ type }) => type)).toEqual(['workflow-start', 'workflow-suspended'])
    expect(page.waits).toMatchObject([{ stepId: 'sign' }])
  })

  it.each(['steps=1001', 'steps=-1', 'steps=all', 'steps=1&stepsOffset=x'])('refuses ?%s', async (query) => {
    expect(await refusalOf(server.request(`${path}?${query}`), 400)).toMatch(
      /^steps(Offset)?: Must be a whole number/,
    )
  })
})
