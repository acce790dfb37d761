import { describe, expect, it } from 'vitest'
import { CronExpression } from '../../../../src/workflow/schedule/cron.ts'
import { everyInstants, newestInstants, nextInstants } from '../../../../src/workflow/schedule/instants.ts'

/** The next instants of a cron expression, without the date where that is the same. */
function next(cron: string, zone: string, after: string, count: number): string[] {
  return nextInstants(new CronExpression(cron, zone), Date.parse(after), count).map((at) =>
    new Date(at).toISOString().slice(0, 16),
  )
}

describe('cron expressions', () => {
  it.each([
    ['0 9 * * 1-5', '2026-11-20T12:00Z', ['2026-11-23T09:00', '2026-11-24T09:00']],
    ['0 9 * JAN MON', '2026-11-20T12:00Z', ['2027-01-04T09:00', '2027-01-11T09:00']],
    ['30 12 L * *', '2027-01-31T13:00Z', ['2027-02-28T12:30', '2027-03-31T12:30']],
    ['*/30 0 9 * * *', '2026-11-20T12:00Z', ['2026-11-21T09:00', '2026-11-21T09:00']],
    ['0 0 ? * 7', '2026-11-20T12:00Z', ['2026-11-22T00:00', '2026-11-29T00:00']],
    ['@daily', '2026-11-20T12:00Z', ['2026-11-21T00:00', '2026-11-22T00:00']],
  ])('%s', (cron, after, expected) => {
    expect(next(cron, 'UTC', after, 2)).toEqual(expected)
  })

  it('a time in an hour that summer time skips comes once, right after it', () => {
    const first = (cron: string) => next(cron, 'Europe/Berlin', '2026-03-28T12:00Z', 2)
    expect(first('30 2 * * *')).toEqual(['2026-03-29T01:00', '2026-03-30T00:30'])
    expect(first('15,45 2 * * *')).toEqual(['2026-03-29T01:00', '2026-03-30T00:15'])
    expect(first('0 2,3 * * *')).toEqual(['2026-03-29T01:00', '2026-03-30T00:00'])
    expect(next('30 2 * * *', 'Europe/Berlin', '2026-03-29T01:00Z', 1)).toEqual(['2026-03-30T00:30'])
    expect(next('0 * * * *', 'Europe/Berlin', '2026-03-28T23:30Z', 3)).toEqual([
      '2026-03-29T00:00',
      '2026-03-29T01:00',
      '2026-03-29T02:00',
    ])
  })

  it('a time in an hour that comes twice comes once, wherever one looks from', () => {
    const zone = 'Europe/Berlin'
    const days = ['2026-10-25T00:30', '2026-10-26T01:30']
    expect(next('30 2 * * *', zone, '2026-10-24T12:00Z', 2)).toEqual(days)
    for (const minute of ['00:30', '00:59', '01:00', '01:29', '01:30', '02:00'])
      expect(next('30 2 * * *', zone, `2026-10-25T${minute}Z`, 1)).toEqual([days[1]])
    expect(next('0 * * * *', zone, '2026-10-24T23:30Z', 3)).toEqual([
      '2026-10-25T00:00',
      '2026-10-25T01:00',
      '2026-10-25T02:00',
    ])
    expect(next('30 1 * * *', 'America/New_York', '2026-10-31T12:00Z', 2)).toEqual([
      '2026-11-01T05:30',
      '2026-11-02T06:30',
    ])
  })
})

describe('intervals', () => {
  it('are counted from 1970, so that each process has the same instants', () => {
    const at = nextInstants(everyInstants(900_000), Date.parse('2026-11-22T10:07Z'), 2)
    expect(at.map((ms) => new Date(ms).toISOString())).toEqual([
      '2026-11-22T10:15:00.000Z',
      '2026-11-22T10:30:00.000Z',
    ])
  })
})

describe('the newest instants of a time', () => {
  const minute = Date.parse('2026-11-22T10:00Z')
  it.each([
    ['* * * * *', 3, ['10:58', '10:59', '11:00']],
    ['59 * * * *', 3, ['10:59']],
    ['0 0 1 1 *', 3, []],
  ])('%s: %d', async (cron, limit, expected) => {
    const instants = new CronExpression(cron, 'UTC')
    const range = { from: minute, to: minute + 3_600_000, limit }
    const found = await newestInstants(instants, range)
    expect(found.map((at) => new Date(at).toISOString().slice(11, 16))).toEqual(expected)
  })

  it('are found quickly in a long time, and leave other work its turn', async () => {
    const to = minute + 365 * 86_400_000
    let turns = 0
    const timer = setInterval(() => turns++, 0)
    const found = await newestInstants(new CronExpression('* * * * * *', 'UTC'), {
      from: minute,
      to,
      limit: 1000,
    })
    clearInterval(timer)
    expect(found).toHaveLength(1000)
    expect(found.at(-1)).toBe(to)
    expect(turns).toBeGreaterThan(3)
  })
})
