import { createServer } from 'agentserver/server'
import config from '../agentserver.config.js'

/** The server of this process, also where Next runs this file again. */
export const agents = createServer(config)
