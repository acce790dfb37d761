import { expect, it } from 'vitest'
import { resolveConfig } from '../../../../src/config/config.ts'
import { prepareConfig } from '../../../../src/server/prepare-config.ts'
import { createWorkflow } from '../../../../src/workflow/create-workflow.ts'
import { createSchedule } from '../../../../src/workflow/schedule/create-schedule.ts'

const workflow = createWorkflow({ id: 'w' }).andTap({ id: 'a', execute: () => undefined })
const problemsOf = (options: object) => createSchedule({ id: 's', workflow, ...options } as never).problems

it.each([
  [{ cron: '0 25 * * *' }, 'cron "0 25 * * *" is not valid: the hour "25" is not one'],
  [{ cron: '60 * * * *' }, 'cron "60 * * * *" is not valid: the minute "60" is not one'],
  [{ cron: '0 0 32 * *' }, 'cron "0 0 32 * *" is not valid: the day of month "32" is not one'],
  [{ cron: '0 0 * FOO *' }, 'cron "0 0 * FOO *" is not valid: the month "FOO" is not one'],
  [{ cron: '0 0 * * 9' }, 'cron "0 0 * * 9" is not valid: the day of week "9" is not one'],
  [{ cron: '99 0 0 * * *' }, 'cron "99 0 0 * * *" is not valid: the second "99" is not one'],
  [{ cron: '? 0 * * *' }, 'cron "? 0 * * *" is not valid: the minute "?" is not one'],
  [{ cron: '0 0 30 2 *' }, 'cron "0 0 30 2 *" is not valid: there is no such day'],
  [
    { cron: '* * *' },
    'cron "* * *" is not valid: it must be five or six fields such as "0 9 * * 1-5", or a name such as "@daily"',
  ],
  [
    { cron: '@reboot' },
    'cron "@reboot" is not valid: it must be five or six fields such as "0 9 * * 1-5", or a name such as "@daily"',
  ],
  [
    { cron: '2026-01-01T00:00' },
    'cron "2026-01-01T00:00" is not valid: it must be five or six fields such as "0 9 * * 1-5", or a name such as "@daily"',
  ],
  [{ cron: 5 }, 'cron must be five or six fields such as "0 9 * * 1-5", or a name such as "@daily"'],
  [
    { cron: '0 9 * * *', timezone: 'Europe/Foo' },
    'timezone "Europe/Foo" is unknown: it must be a name of the IANA time zone database, such as "Europe/Berlin"',
  ],
  [{}, 'it must have cron or every'],
  [{ cron: '0 9 * * *', every: '1h' }, 'it must have cron or every, not both'],
  [{ every: '1x' }, 'every must be milliseconds, or a text such as "500ms", "10s", "5m", "2h", "7d" or "1w"'],
  [{ every: -5 }, 'every must be milliseconds, or a text such as "500ms", "10s", "5m", "2h", "7d" or "1w"'],
  [{ every: '999ms' }, 'every must be at least one second'],
  [{ every: '1h', overlap: 'wait' }, 'overlap must be "skip", "queue", "allow"'],
  [{ every: '1h', catchUp: 'some' }, 'catchUp must be "none", "last", "all"'],
  [{ every: '1h', paused: 1 }, 'paused must be true or false'],
  [{ every: '1h', workflow: 'w' }, 'workflow must be made by createWorkflow()'],
  [{ every: '1h', timeZone: 'UTC' }, 'unknown option "timeZone". Did you mean "timezone"?'],
  [
    { every: '1h', id: 'a b' },
    'the id must be letters, digits, ".", "_", ":" and "-", starting with a letter or digit, at most 80 characters',
  ],
])('a schedule with %j is refused', (options, problem) => {
  expect(problemsOf(options)).toEqual([problem])
})

it('a schedule with a valid cron expression or interval has no problems', () => {
  expect(problemsOf({ cron: ' 0 9 * * MON-FRI ', timezone: 'Europe/Berlin' })).toEqual([])
  expect(problemsOf({ every: 1000 })).toEqual([])
})

const schedule = createSchedule({ id: 's', every: '1h', workflow })

it.each([
  [{ workflows: [], schedules: [schedule] }, 'schedules[0] "s": add the workflow "w" to "workflows"'],
  [{ workflows: [workflow], schedules: [schedule, schedule] }, 'schedule id "s" is used 2 times'],
  [{ workflows: [workflow], schedules: [{ id: 's' }] }, 'schedules[0]: must be made by createSchedule()'],
  [{ workflows: [workflow], schedules: schedule }, 'schedules: must be an array'],
  [
    {
      workflows: [workflow],
      schedules: [createSchedule({ id: 's', cron: '0 25 * * *', workflow })],
    },
    'schedules[0] "s": cron "0 25 * * *" is not valid: the hour "25" is not one',
  ],
])('a configuration names the problem of its schedules %#', (config, problem) => {
  expect(() => resolveConfig(config, 'x')).toThrow(problem)
})

it('an input that the workflow does not accept is refused when the configuration is loaded', async () => {
  const inputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
  const strict = createWorkflow({ id: 'w', inputSchema }).andTap({ id: 'a', execute: () => undefined })
  const config = (input: unknown) =>
    resolveConfig(
      {
        workflows: [strict],
        schedules: [createSchedule({ id: 's', every: '1h', workflow: strict, input: input as never })],
      },
      'x',
    )
  await expect(prepareConfig(config({ n: 'x' }), false)).rejects.toThrow(
    'schedule "s": Input validation failed: input.n',
  )
  await expect(prepareConfig(config({ n: 1 }), false)).resolves.toBeDefined()
  await expect(
    prepareConfig(
      config(() => ({})),
      false,
    ),
  ).resolves.toBeDefined()
})
