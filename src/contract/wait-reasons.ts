/** The reasons of waits that end by themselves: for a time, and for an event. Others wait for somebody. */
export const SLEEPING = 'sleeping'
export const WAITING = 'waiting for event'
