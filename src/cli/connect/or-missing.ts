import { ApiError } from '../../client/api-error.ts'

/** The response to a request for something by its id; `undefined` when nothing has the id. */
export async function orMissing<T>(response: Promise<T>): Promise<T | undefined> {
  try {
    return await response
  } catch (error) {
    // 400: the text is no valid id, so nothing has it
    if (error instanceof ApiError && (error.status === 404 || error.status === 400)) return undefined
    throw error
  }
}
