/** Next calls it when the server starts: recovers executions and starts schedules before the first request. */
export async function register() {
  if (process.env.NEXT_RUNTIME === 'nodejs') {
    const { agents } = await import('./agents.js')
    await agents.ready()
  }
}
