import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const server = new McpServer({ name: "shape", version: "1.0.0" });
setInterval(() => {}, 1000);

let stopping = false;
const shutdown = async () => {
  if (stopping) return;
  stopping = true;
  await server.close();
  process.exit(0);
};
process.on("SIGINT", shutdown);
process.stdin.once("end", shutdown);
process.stdin.once("close", shutdown);
process.stdin.once("error", shutdown);
if (process.stdin.readableEnded || process.stdin.destroyed) shutdown();
process.once("SIGTERM", shutdown);

await server.connect(new StdioServerTransport());
