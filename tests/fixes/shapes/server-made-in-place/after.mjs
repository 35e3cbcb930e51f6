import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

setInterval(() => {}, 1000);
const shutdown = () => {
  process.exit(0);
};
process.stdin.once("end", shutdown);
process.stdin.once("close", shutdown);
process.stdin.once("error", shutdown);
if (process.stdin.readableEnded || process.stdin.destroyed) shutdown();
process.once("SIGTERM", shutdown);
process.once("SIGINT", shutdown);

await new McpServer({ name: "shape", version: "1.0.0" }).connect(new StdioServerTransport());
