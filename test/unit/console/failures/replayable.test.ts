import { describe, expect, it } from 'vitest'
import { replayable } from '../../../../src/console/failures/replayable.ts'

const error = { name: 'Error', message: 'frozen', stepId: 'pay' }
const failed = (id: string, executionId?: string) => ({
  id,
  error,
  ...(executionId !== undefined && { forkedFrom: { executionId, stepId: 'pay' } }),
})
const ids = (records: readonly { readonly id: string }[]) => records.map(({ id }) => id)

describe('the executions of a failure that are replayed', () => {
  it('are those that failed, in their order', () => {
    expect(ids(replayable([failed('b'), failed('a')], []))).toEqual(['b', 'a'])
  })

  it('are one of an execution and its replays that failed again', () => {
    expect(ids(replayable([failed('a3', 'a2'), failed('b'), failed('a2', 'a'), failed('a')], []))).toEqual([
      'a3',
      'b',
    ])
  })

  it('leave out an execution of which any replay has completed, also a replay of a replay', () => {
    expect(ids(replayable([failed('a2', 'a'), failed('a'), failed('b')], [failed('a3', 'a2')]))).toEqual([
      'b',
    ])
  })

  it('are the replays, where what they replay has failed in another way', () => {
    expect(ids(replayable([failed('b2', 'b'), failed('a2', 'a')], []))).toEqual(['b2', 'a2'])
  })

  it('leave out those that failed outside of a step, which can not be replayed from it', () => {
    expect(replayable([{ id: 'a', error: { name: 'WorkflowTimeoutError', message: 'late' } }], [])).toEqual(
      [],
    )
  })
})
