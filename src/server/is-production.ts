/** Whether the environment says production; spelling and spaces don't matter. */
export function isProduction(env: Readonly<Record<string, string | undefined>>): boolean {
  return env['NODE_ENV']?.trim().toLowerCase() === 'production'
}
