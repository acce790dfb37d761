import type { scheduleEndpoints } from '../../contract/endpoints/schedule.ts'
import type { Handler } from '../reply/reply.ts'
import type { Services } from '../services.ts'

type Group = typeof scheduleEndpoints

export function scheduleHandlers(services: Services): { [K in keyof Group]: Handler<Group[K]> } {
  const schedules = () => services.current().engine.schedules
  return {
    listSchedules: async ({ access }) => access.readable(await schedules().list(), 'schedule'),
    getSchedule: ({ params }) => schedules().get(params.id),
    triggerSchedule: ({ params: { id }, access }) => {
      access.toRepeat(services.current().registry.schedule(id).workflow.id)
      return schedules().trigger(id)
    },
    pauseSchedule: ({ params }) => schedules().pause(params.id),
    resumeSchedule: ({ params }) => schedules().resume(params.id),
  }
}
