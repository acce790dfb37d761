/** Whether a process with this id exists, also if it belongs to another user. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it exists, but may not be signalled
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
