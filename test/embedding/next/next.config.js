export default {
  // loaded by Node: a bundle has no files of the console
  serverExternalPackages: ['agentserver'],
  // leaves the slash of /agents/console/ to agentserver
  skipTrailingSlashRedirect: true,
}
