import type { ScheduleDetail } from '../../../contract/endpoints/schedule.ts'

const DAYS: Readonly<Record<string, string>> = {
  '*': 'every day',
  '1-5': 'Monday to Friday',
  'MON-FRI': 'Monday to Friday',
  '0': 'Sundays',
  '1': 'Mondays',
  '2': 'Tuesdays',
  '3': 'Wednesdays',
  '4': 'Thursdays',
  '5': 'Fridays',
  '6': 'Saturdays',
  '7': 'Sundays',
}

/** The times of a schedule: in words where they are simple, such as `09:00, Monday to Friday`, else the expression. */
export function timesText({ cron, every, timezone }: ScheduleDetail): string {
  if (cron === undefined) return typeof every === 'number' ? `every ${every} ms` : `every ${every}`
  const [minute = '', hour = '', day, month, weekday = '', ...more] = cron.trim().split(/\s+/)
  const days = DAYS[weekday.toUpperCase()]
  const isTime = /^\d{1,2}$/.test(minute) && /^\d{1,2}$/.test(hour)
  const isSimple = isTime && day === '*' && month === '*' && days !== undefined && more.length === 0
  const text = isSimple ? `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}, ${days}` : cron
  return `${text} (${timezone})`
}
