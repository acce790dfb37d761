/** The link of a login at a connected MCP server. It is printed, not logged: whoever has it can end the login. */
export function loginLine(serverId: string, link: string): string {
  return `Log in at MCP server "${serverId}": ${link}`
}
