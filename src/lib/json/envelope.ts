/** The error envelope, as JSON. */
export function errorEnvelope(message: string): string {
  return JSON.stringify({ success: false, error: message })
}

/** The success envelope, as JSON. */
export function dataEnvelope(data: unknown): string {
  return `{"success":true,"data":${JSON.stringify(data)}}`
}
