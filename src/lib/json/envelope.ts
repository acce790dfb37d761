/** The error envelope, as JSON. */
export function errorEnvelope(message: string, beside?: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ success: false, error: message, ...beside })
}

/** The success envelope, as JSON. */
export function dataEnvelope(data: unknown, beside?: Readonly<Record<string, unknown>>): string {
  const more = beside ? `,${JSON.stringify(beside).slice(1, -1)}` : ''
  return `{"success":true,"data":${JSON.stringify(data)}${more}}`
}
