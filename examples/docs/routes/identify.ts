import { defineConfig } from 'agentserver'

export default defineConfig({
  configureApp: (app) => {
    app.get('/greeting', async (c) => {
      const user = await c.get('identify')()
      return c.text(`Hello ${user?.id ?? 'stranger'}`)
    })
  },
})
