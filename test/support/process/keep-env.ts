/** Returns a function that sets the environment of this process back to what it is now. */
export function keepEnv(): () => void {
  const env = { ...process.env }
  return () => {
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
    Object.assign(process.env, env)
  }
}
