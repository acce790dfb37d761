/** Whether NODE_ENV is `production`, in any case and with any surrounding spaces. */
export function isProduction(env: Readonly<Record<string, string | undefined>>): boolean {
  return env['NODE_ENV']?.trim().toLowerCase() === 'production'
}
