import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/until.ts'
import { CliProject } from '../support/project/cli-project.ts'

const BIG = ['--input', '{"orderId":"A-1","amount":500}']

describe.each(['in the same process', 'with a running server'])('the workflow commands %s', (where) => {
  let project: CliProject

  beforeAll(async () => {
    project = new CliProject()
    if (where === 'with a running server') await project.serve('dev')
  })
  afterAll(() => project.end())

  const suspended = async (): Promise<string> => {
    const { value } = await project.json(['run-workflow', 'order', ...BIG])
    return value.executionId
  }

  it('run a workflow with the result on stdout, the rest on stderr, exit 0', async () => {
    const { exitCode, stdout, stderr } = await project.run([
      'run-workflow',
      'order',
      '--input',
      '{"orderId":"A-1"}',
    ])
    expect(JSON.parse(stdout)).toEqual({ orderId: 'A-1', amount: 1, charged: true })
    expect(stderr).toContain('order completed')
    expect(exitCode).toBe(0)
  })

  it('run an example of the workflow, and name it for an input that is refused', async () => {
    expect((await project.json(['run-workflow', 'order', '--example'])).value.result).toMatchObject({
      orderId: 'E-1',
    })
    const second = ['stream-workflow', 'order', '--example', '2']
    expect((await project.run(second)).stdout).toContain('"amount":7')
    expect(await project.run(['run-workflow', 'order', '--example', '3'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('There is no example 3: workflow "order" has 2 examples'),
    })
    const both = await project.run(['run-workflow', 'order', '--example', '--input', '{}'])
    expect(both).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('cannot be used with') })
    const refused = await project.run(['run-workflow', 'order', '--input', '{}'])
    expect(refused.stderr).toContain(`Example: --input '{"orderId":"E-1"}'`)
  })

  it('breakpoints stop a run before a step, and state, resume and replay show where', async () => {
    const input = ['--input', '{"orderId":"A-1"}']
    const paused = await project.json(['run-workflow', 'order', ...input, '--pause-at', 'big'])
    expect(paused).toMatchObject({
      exitCode: 3,
      value: { suspension: { reason: 'breakpoint', stepId: 'big', data: { charged: true } } },
    })
    const { executionId } = paused.value
    const { stdout } = await project.run(['state', executionId])
    expect(stdout).toMatch(/suspended +at step "big": breakpoint/)
    expect(stdout).toMatch(/breakpoints +big/)
    expect(stdout).toMatch(/step data +\{.*"charged":true\}/)
    const resume = ['resume-workflow', 'order', executionId]
    const unknown = await project.run([...resume, '--pause-at', 'ship'])
    expect(unknown).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('its steps are charge, big, approve'),
    })
    const data = ['--step-data', '{"orderId":"B","amount":500}']
    const next = await project.run([...resume, '--pause-at', '*', ...data])
    expect(next).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('approve: breakpoint') })
    expect(next.stderr).toContain(`resume-workflow order ${executionId}`)
    expect(next.stderr).not.toContain('--data')
    const replay = ['replay-workflow', 'order', executionId, '--step', 'charge', '--pause-at', 'charge']
    expect((await project.json(replay)).value.suspension).toMatchObject({ stepId: 'charge' })
  })

  it('send-event resumes the executions that wait for it, and state shows what they wait for', async () => {
    const order = `B-${where.length}`
    const started = await project.json(['run-workflow', 'waiting', '--input', JSON.stringify({ order })])
    const { executionId } = started.value
    expect((await project.run(['state', executionId])).stdout).toContain(`payment, key ${order}`)
    const send = ['send-event', 'payment', order, '--data', '{"cents":5}', '--id', `evt-${order}`]
    const sent = await project.run(send)
    expect(sent).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('1 execution resumed') })
    expect(sent.stdout).toContain(executionId)
    expect((await project.json(send)).value).toEqual({
      eventId: `evt-${order}`,
      resumed: [],
      started: [],
      cancelled: [],
    })
    await until(async () => {
      const { value } = await project.json(['state', executionId])
      return value.status === 'completed'
    }, 'the execution to complete')
    const refused = await project.run(['send-event', 'no id'])
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('name') })
  })

  it('accept execution options, and print only the execution result with --json', async () => {
    const id = `mine-${where.length}`
    const options = [
      '--execution-id',
      id,
      '--user',
      'u-7',
      '--conversation',
      'c-1',
      '--context',
      '{"tenant":"acme"}',
    ]
    const run = await project.json(['run-workflow', 'order', '--input', '{"orderId":"A-1"}', ...options])
    expect(run.exitCode).toBe(0)
    expect(run.value).toEqual({
      executionId: id,
      startAt: expect.any(String),
      endAt: expect.any(String),
      status: 'completed',
      result: { orderId: 'A-1', amount: 1, charged: true },
    })
    const state = await project.json(['state', id])
    expect(state.value).toMatchObject({
      workflowId: 'order',
      context: { tenant: 'acme' },
      status: 'completed',
    })
    const again = await project.run([
      'run-workflow',
      'order',
      '--input',
      '{"orderId":"A-1"}',
      '--execution-id',
      id,
    ])
    expect(again).toMatchObject({ exitCode: 2, stdout: '' })
    expect(again.stderr).toContain('already used')
  })

  it('print the error of a failed run with step, file and line, exit 1', async () => {
    const { exitCode, stdout, stderr } = await project.run(['run-workflow', 'broken'])
    expect(stderr).toContain('RangeError: card declined in step "pay"')
    expect(stderr).toMatch(/at src\/workflows\.ts:\d+:\d+/)
    expect(stdout).toBe('')
    expect(exitCode).toBe(1)
  })

  it('print a failed run as JSON too', async () => {
    const { exitCode, value } = await project.json(['run-workflow', 'broken'])
    expect(value).toMatchObject({
      status: 'error',
      result: null,
      error: { message: 'card declined', stepId: 'pay' },
    })
    expect(exitCode).toBe(1)
  })

  it('exit with 3 for a suspended run, and print the resume command', async () => {
    const { exitCode, stderr } = await project.run(['run-workflow', 'order', ...BIG])
    expect(stderr).toMatch(
      /approve: over limit[\s\S]*\{"amount":500\}[\s\S]*resume-workflow order [\w-]+ --data/,
    )
    expect(exitCode).toBe(3)
  })

  it('resume a suspended execution once', async () => {
    const id = await suspended()
    const refused = await project.run(['resume-workflow', 'order', id, '--data', '{"ok":"perhaps"}'])
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('resumeData.ok') })
    const resumed = await project.json(['resume-workflow', 'order', id, '--data', '{"ok":true}'])
    expect(resumed).toMatchObject({
      exitCode: 0,
      value: { executionId: id, status: 'completed', result: { ok: true } },
    })
    const again = await project.run(['resume-workflow', 'order', id, '--data', '{"ok":true}'])
    expect(again).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('not suspended') })
  })

  it('cancel a suspended execution', async () => {
    const id = await suspended()
    const cancelled = await project.json(['cancel-workflow', 'order', id, '--reason', 'ordered twice'])
    expect(cancelled).toMatchObject({ exitCode: 0, value: { status: 'cancelled', reason: 'ordered twice' } })
    const again = await project.run(['cancel-workflow', 'order', id])
    expect(again.exitCode).toBe(2)
  })

  it('cancel with --force one execution, but not several', async () => {
    const id = await suspended()
    const several = await project.run(['cancel-workflow', 'order', '--status', 'suspended', '--force'])
    expect(several).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--force needs the id') })
    const dry = await project.run(['cancel-workflow', 'order', id, '--dry-run'])
    expect(dry).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--dry-run is for many executions'),
    })
    expect((await project.run(['cancel-workflow', 'order', id, '--force'])).exitCode).toBe(0)
  })

  it('replay an execution from a step, with another input', async () => {
    const { value: original } = await project.json(['run-workflow', 'order', '--input', '{"orderId":"A-1"}'])
    const from = ['replay-workflow', 'order', original.executionId, '--step']
    const replayed = await project.run([...from, 'charge', '--input', '{"orderId":"A-9","amount":2}'])
    expect(replayed.stderr).toContain('order completed')
    expect(JSON.parse(replayed.stdout)).toEqual({ orderId: 'A-9', amount: 2, charged: true })
    expect(replayed.exitCode).toBe(0)
    const { exitCode, value } = await project.json([
      ...from,
      'charge',
      '--input',
      '{"orderId":"A-9","amount":500}',
    ])
    expect({ exitCode, status: value.status }).toEqual({ exitCode: 3, status: 'suspended' })
    expect(value.executionId).not.toBe(original.executionId)
    const wrong = await project.run([...from, 'chrge'])
    expect(wrong).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Did you mean "charge"?') })
  })

  it('stream events as JSON lines, the result last', async () => {
    const { exitCode, stdout } = await project.run(['stream-workflow', 'order', ...BIG, '--json'])
    const events = stdout.split('\n').map((line) => JSON.parse(line))
    expect(events.map(({ type }) => type)).toEqual([
      'workflow-start',
      'step-start',
      'step-complete',
      'step-start',
      'step-start',
      'workflow-suspended',
      'workflow-result',
    ])
    expect(exitCode).toBe(3)
  })

  it('stream events as text, one line each', async () => {
    const { exitCode, stdout, stderr } = await project.run(['stream-workflow', 'broken'])
    expect(stdout).toMatch(/step-error pay card declined/)
    expect(stderr).toContain('broken failed')
    expect(exitCode).toBe(1)
  })

  it('list workflows and executions, with filters', async () => {
    const workflows = await project.json(['list'])
    expect(workflows.value.map(({ id }: { id: string }) => id)).toEqual([
      'order',
      'broken',
      'slow',
      'waiting',
    ])
    const filters = ['--workflow', 'broken', '--status', 'error', '--limit', '1', '--from', '2020-01-01']
    const executions = await project.json(['list', 'executions', ...filters])
    expect(executions.value).toMatchObject([{ workflowId: 'broken', status: 'error' }])
    const table = await project.run(['list', 'executions', '--limit', '2', '--offset', '1'])
    expect(table.stdout.split('\n')).toHaveLength(3)
    expect(table.stdout).toMatch(/^EXECUTION +WORKFLOW +STATUS/)
    const none = await project.run(['list', 'executions', '--to', '2020-01-01'])
    expect(none).toMatchObject({ exitCode: 0, stdout: '' })
    const wrong = await project.run(['list', 'executions', '--limit', '999'])
    expect(wrong).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('limit') })
  })

  it('print an execution with its steps', async () => {
    const id = await suspended()
    const { stdout, exitCode } = await project.run(['state', id])
    expect(stdout).toMatch(/status +suspended/)
    expect(stdout).toMatch(/big\/approve +suspended +1/)
    expect(exitCode).toBe(0)
    expect(await project.run(['state', 'no-such-execution'])).toMatchObject({ exitCode: 2, stdout: '' })
  })

  it('list the routes with their access classes', async () => {
    const { value } = await project.json(['routes'])
    expect(value).toContainEqual({
      method: 'POST',
      path: '/workflows/:id/execute',
      access: 'user',
      openTo: 'everyone',
    })
  })

  it('suggest the closest name for an unknown workflow', async () => {
    const { exitCode, stderr, stdout } = await project.run(['run-workflow', 'ordre', '--json'])
    expect(stderr).toContain('Workflow not found: ordre')
    expect(stderr).toContain('Did you mean "order"?')
    expect(JSON.parse(stdout)).toEqual({ success: false, error: 'Workflow not found: ordre' })
    expect(exitCode).toBe(2)
  })

  it('print missing input fields and an example input', async () => {
    const { exitCode, stderr } = await project.run(['run-workflow', 'order'])
    expect(stderr).toContain('input.orderId: Required')
    expect(stderr).toMatch(/Example: --input '\{"orderId":".+"\}'/)
    expect(exitCode).toBe(2)
  })

  it('redirect output of user code to stderr', async () => {
    const { stdout, stderr } = await project.run([
      'run-workflow',
      'order',
      '--input',
      '{"orderId":"A-1"}',
      '--json',
    ])
    expect(JSON.parse(stdout).status).toBe('completed')
    expect(stderr.includes('the step says hello')).toBe(where === 'in the same process')
  })
})
